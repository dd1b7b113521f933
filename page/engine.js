// Engines run command lines in a worker, one after the other.

const programText = () => document.getElementById("program").textContent;
let workerAddress = null; // of the worker's script
let sharedModule = null; // compiled once, if the browser hands modules over

class Engine {
  constructor() {
    this.waiting = [];
    this.current = null;
    this.next = 1;
    this.begin();
  }

  begin() {
    workerAddress ??= URL.createObjectURL(
      new Blob([document.getElementById("worker").textContent], { type: "text/javascript" }),
    );
    this.isReady = false;
    this.worker = new Worker(workerAddress);
    this.ready = new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }) => {
        if (data.ready) {
          sharedModule = data.module ?? sharedModule;
          this.isReady = true;
          resolve(data.description);
          this.go();
        } else if (data.id) {
          this.done(data);
        } else {
          reject(new Error(data.failed));
        }
      };
      this.worker.onerror = (event) => reject(new Error(event.message));
    });
    this.ready.catch(() => {});
    this.worker.postMessage(sharedModule ? { module: sharedModule } : { text: programText() });
  }

  // call runs words. A call of a group is dropped, its promise rejected, when drop names its group.
  call(words, { group = null, schedule = false } = {}) {
    return new Promise((resolve, reject) => {
      this.waiting.push({ id: this.next++, words, group, schedule, resolve, reject });
      this.go();
    });
  }

  go() {
    if (!this.isReady || this.current || this.waiting.length === 0) return;
    this.current = this.waiting.shift();
    this.since = performance.now();
    const { id, words, schedule } = this.current;
    this.worker.postMessage({ id, words, schedule });
  }

  done({ id, result, failed }) {
    if (this.current?.id !== id) return;
    const { resolve, reject } = this.current;
    this.current = null;
    if (result) resolve(result);
    else reject(new Error(failed));
    this.go();
  }

  // drop forgets the calls of a group. A worker that has computed one of them for long is ended; a
  // new one takes its place.
  drop(group) {
    const dropped = this.waiting.filter((call) => call.group === group);
    this.waiting = this.waiting.filter((call) => call.group !== group);
    if (this.current?.group === group && performance.now() - this.since > 250) {
      dropped.push(this.current);
      this.current = null;
      this.worker.terminate();
      this.begin();
    }
    for (const { reject } of dropped) reject(new Dropped());
  }
}

// Dropped is what became of a call for which there is a newer one.
class Dropped extends Error {}

// unlessDropped ignores that a call was dropped.
const unlessDropped = (error) => {
  if (!(error instanceof Dropped)) throw error;
};
