// Scroll the sidebar to the current page.
addEventListener("DOMContentLoaded", () => {
  const current = document.querySelector(".sidebar-tree .current-page");
  const scroller = document.querySelector(".sidebar-scroll");
  if (current && scroller) {
    scroller.scrollTop = current.getBoundingClientRect().top - scroller.clientHeight / 3;
  }
});
