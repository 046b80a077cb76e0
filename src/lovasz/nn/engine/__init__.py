"""The one training loop and its parts: operators, inputs, dropout, optimiser, early stopping."""
