// Sends the form and renews the board without loading the page. Without this script the browser does both.
const form = document.querySelector("form");
const at = (id) => document.getElementById(id);
async function show(request, result) {
  const page = new DOMParser().parseFromString(await (await request).text(), "text/html");
  const [from, into] = [page.getElementById("board"), at("board")];
  if (result) at("result").replaceChildren(...page.getElementById("result").childNodes);
  if (!from || !into) return;
  const open = into.querySelector("details")?.open;
  into.replaceChildren(...from.childNodes);
  if (open && into.querySelector("details")) into.querySelector("details").open = true;
}
const post = (body) => fetch("board", { method: "POST", body });
if (form?.elements.predictions)
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    at("result").textContent = "Sending ...";
    try {
      await show(post(new FormData(form)), true);
    } catch {
      at("result").textContent = "The server did not answer. Send the same file again: it costs nothing if it has arrived.";
    }
    button.disabled = false;
  });
setInterval(() => {
  if (document.hidden || form?.querySelector("button").disabled || !at("board")) return;
  const body = new FormData();
  if (!at("board").dataset.locked) show(fetch("board" + location.search), false).catch(() => {});
  else if (form.elements.token.value) {
    body.set("token", form.elements.token.value);
    show(post(body), false).catch(() => {});
  }
}, 15000);
