"""Ctrl-C is a flag inside the block, KeyboardInterrupt the second time, and as before outside."""

import signal
import sys
import threading

import pytest
from tests.waiting import LONGEST

from lovasz.base.interrupts import CtrlC, ctrl_c_unless


@pytest.fixture(autouse=True)
def ctrl_c():
    """Ctrl-C as in a fresh interpreter."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press():
    signal.raise_signal(signal.SIGINT)


def test_the_first_is_a_flag_and_the_second_an_exception():
    with pytest.raises(KeyboardInterrupt), CtrlC().taken() as request:
        assert not request()
        press()
        assert request()
        press()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        press()


@pytest.mark.parametrize("twice", [True, False])
def test_what_a_compiled_function_makes_of_the_second_is_put_right(twice):
    with (
        pytest.raises(KeyboardInterrupt if twice else SystemError),
        CtrlC().taken(),
    ):
        press()
        try:
            press() if twice else None
        except KeyboardInterrupt:
            raise SystemError("returned a result with an exception set") from None
        raise SystemError("of another kind")


def test_a_handler_of_somebody_else_stays():
    heard = []
    signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    with CtrlC().taken() as request:
        press()
    assert heard == [1] and not request.made


def test_another_thread_leaves_signals_alone():
    seen = []

    def work():
        with CtrlC().taken():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_a_stop_of_the_caller_is_used_instead():
    with pytest.raises(KeyboardInterrupt), ctrl_c_unless(lambda: True) as asked:
        assert asked()
        press()


def test_a_second_one_inside_an_import_waits_for_its_end(tmp_path, monkeypatch):
    (tmp_path / "pressed_twice.py").write_text(
        "import signal, time\n"
        "signal.raise_signal(signal.SIGINT)\nsignal.raise_signal(signal.SIGINT)\ndone = True\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(KeyboardInterrupt), CtrlC().taken():
        import pressed_twice

        assert pressed_twice.done
        threading.Event().wait(LONGEST)
    assert "pressed_twice" in sys.modules
