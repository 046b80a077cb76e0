"""The one training loop and its parts: operators, inputs, dropout, optimizer, early stopping."""
