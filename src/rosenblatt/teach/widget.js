function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.srcdoc = model.get("page");
  frame.title = "Lecture page";
  frame.style = `width:100%;height:${model.get("height")}px;border:0`;
  let shown = "";
  const follow = () => {
    const text = JSON.stringify(frame.contentWindow?.lesson?.state() ?? {});
    if (text === shown) return;
    shown = text;
    model.set("state", JSON.parse(text));
    model.save_changes();
  };
  const timer = setInterval(follow, 200);
  const walk = () => frame.contentWindow?.lesson?.goto(model.get("t"));
  frame.addEventListener("load", () => model.get("t") > 0 && walk()); // assigned before it was shown
  model.on("change:t", walk);
  el.append(frame);
  return () => clearInterval(timer);
}
export default { render };
