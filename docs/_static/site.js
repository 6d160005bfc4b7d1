// Scroll the sidebar to the current page.
addEventListener("DOMContentLoaded", () => {
  const current = document.querySelector(".sidebar-tree .current-page");
  const scroller = document.querySelector(".sidebar-scroll");
  if (current && scroller) {
    scroller.scrollTop = current.getBoundingClientRect().top - scroller.clientHeight / 3;
  }
});

// List the other versions of a site that has several (docs/publish.py) below the pages.
addEventListener("DOMContentLoaded", async () => {
  const site = new URL(document.documentElement.dataset.content_root, location.href);
  if (!/\/(dev|\d+\.\d+)\/$/.test(site.pathname)) return;
  const above = new URL("../", site);
  const answer = await fetch(new URL("versions.json", above)).catch(() => null);
  const versions = answer?.ok ? await answer.json() : [];
  if (versions.length < 2) return;
  const list = document.createElement("p");
  list.className = "versions";
  list.append("Versions: ", ...versions.flatMap((version) => {
    const link = document.createElement("a");
    link.href = new URL(`${version}/`, above);
    link.textContent = version;
    return [link, " "];
  }));
  document.querySelector(".sidebar-scroll").append(list);
});
