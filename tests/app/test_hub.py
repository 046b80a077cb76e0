"""What open windows are told."""

import asyncio
import json

from lovasz.app.hub import Hub


def content(text):
    return json.loads(text.split("data: ", 1)[1])


def test_a_window_gets_the_state_first_and_then_what_is_published():
    async def watch():
        hub = Hub()
        stream = hub.stream("one", {"labelled": 3})
        assert content(await anext(stream)) == {"labelled": 3}
        assert hub.present == {"one"}
        hub.publish("state", {"name": "a\nb\n\nevent: x"})
        text = await anext(stream)
        assert text.count("\n\n") == 1 and content(text) == {"name": "a\nb\n\nevent: x"}
        hub.close()
        assert [text async for text in stream] == []
        assert hub.present == set()

    asyncio.run(watch())


def test_a_window_that_is_far_behind_is_dropped():
    async def watch():
        hub = Hub()
        stream = hub.stream("slow", {})
        await anext(stream)
        for number in range(1000):
            hub.publish("state", number)
        assert len([text async for text in stream]) <= 101

    asyncio.run(watch())
