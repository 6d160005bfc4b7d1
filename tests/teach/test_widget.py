"""The widget of notebooks: the page, and its state in Python."""

import pytest

from rosenblatt import textbook
from rosenblatt.teach import html, lesson_of_trace

pytest.importorskip("anywidget", reason="needs the extra [notebook]")


def test_the_widget_has_the_page_and_a_state():
    from rosenblatt.teach.widget import LessonWidget

    lesson = lesson_of_trace(textbook.augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1]))
    widget = LessonWidget(lesson, height=500)
    assert (widget.page, widget.height, widget.t, widget.state) == (html(lesson), 500, 0, {})


def test_the_script_of_the_widget_follows_the_page(browser):
    from rosenblatt.teach.widget import LessonWidget

    widget = LessonWidget()
    page = browser.new_page()
    state = page.evaluate(
        """async ([script, html]) => {
          const url = URL.createObjectURL(new Blob([script], {type: "text/javascript"}));
          const widget = (await import(url)).default;
          const fields = {page: html, height: 500, t: 2}, listeners = {};
          const model = {
            get: name => fields[name],
            set: (name, value) => { fields[name] = value; },
            save_changes: () => {},
            on: (name, listener) => { listeners[name] = listener; },
          };
          const stop = widget.render({model, el: document.body});
          const wait = async done => { while (!done()) await new Promise(r => setTimeout(r, 50)); };
          await wait(() => fields.state?.t === 2); // assigned before the page is there
          fields.t = 3;
          listeners["change:t"]();
          await wait(() => fields.state.t === 3);
          stop();
          return fields.state;
        }""",
        [widget._esm, widget.page],
    )
    assert (state["t"], state["mistakes"], state["bound"]) == (3, 2, 34)
    page.close()
