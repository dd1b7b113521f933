// The worker: dpcalc itself, and what unpacks it. It takes {text} or {module}, and then calls.

// unarmoured is the inverse of armoured in tools/page: seven bits a character, some after "=".
function unarmoured(text) {
  const bytes = new Uint8Array(text.length);
  let length = 0,
    bits = 0,
    held = 0;
  for (let i = 0; i < text.length; i++) {
    let c = text.charCodeAt(i);
    if (c === 61) c = text.charCodeAt(++i) - 64;
    bits = (bits << 7) | c;
    held += 7;
    if (held >= 8) {
      held -= 8;
      bytes[length++] = bits >> held;
      bits &= (1 << held) - 1;
    }
  }
  return bytes.subarray(0, length);
}

async function start({ text, module }) {
  module ??= await WebAssembly.compile(unpacked(unarmoured(text)));
  const go = new Go();
  const ready = new Promise((resolve) => {
    globalThis.dpcalcReady = resolve;
  });
  go.run(await WebAssembly.instantiate(module, go.importObject));
  await ready;
  const description = JSON.parse(dpcalcDescription());
  try {
    postMessage({ ready: true, description, module });
  } catch {
    // a browser that hands no modules over compiles anew
    postMessage({ ready: true, description });
  }
}

onmessage = async ({ data }) => {
  try {
    if (!data.id) return await start(data);
    const call = data.schedule ? dpcalcSchedule : dpcalcRun;
    postMessage({ id: data.id, result: call(data.words) });
  } catch (error) {
    postMessage({ id: data.id, failed: String(error?.message ?? error) });
  }
};
