// Unpacks LZMA of the form with a header of 13 bytes, in which the size is known: see
// https://www.7-zip.org/sdk.html, lzma-specification.txt. Everything that was written is kept, so that there is no
// dictionary apart from it.

// Where the probabilities of each choice begin. Some are in tables of 16, for the position, or of 12, for the state.
const IS_MATCH = 0;
const IS_LONG_REPEAT = IS_MATCH + 12 * 16;
const IS_REPEAT = IS_LONG_REPEAT + 12 * 16;
const IS_OLDER = IS_REPEAT + 12; // than the last distance, the one before, and the one before that
const SLOT = IS_OLDER + 3 * 12; // of the distance, one of 64, in four trees by the length
const MIDDLE_BITS = SLOT + 4 * 64; // of distances in the slots 4 to 13
const LOW_BITS = MIDDLE_BITS + 128; // of longer distances
const MATCH_LENGTH = LOW_BITS + 16;
const SHORT_LENGTHS = 2; // from the start of a table of lengths, after two choices
const MEDIUM_LENGTHS = SHORT_LENGTHS + 16 * 8;
const LONG_LENGTHS = MEDIUM_LENGTHS + 16 * 8;
const REPEAT_LENGTH = MATCH_LENGTH + LONG_LENGTHS + 256;
const LITERAL = REPEAT_LENGTH + LONG_LENGTHS + 256; // 0x300 for each context
const HEADER = 13;

// RangeDecoder reads bits: adaptive ones, whose probability of 0 it keeps in units of 1/2048, and plain ones.
class RangeDecoder {
  constructor(input, probabilities) {
    this.input = input;
    this.at = HEADER + 5;
    this.probabilities = new Uint16Array(probabilities).fill(1024);
    const code = new DataView(input.buffer, input.byteOffset).getUint32(HEADER + 1); // after a byte that is 0
    this.state = new Int32Array([-1, code]); // the range, and the code, which is below it
  }

  shift() {
    this.state[0] <<= 8;
    this.state[1] = (this.state[1] << 8) | this.input[this.at++];
  }

  // bit reads a bit by the probability i.
  bit(i) {
    return this.tree(i - 1, 1);
  }

  // tree reads a number of n bits, the highest first, with a probability for each beginning. It has nearly all bits
  // to read, so that range and code are its own until it is done.
  tree(i, n) {
    const { input, probabilities, state } = this;
    let range = state[0];
    let code = state[1];
    let path = 1;
    for (let k = 0; k < n; k++) {
      const p = probabilities[i + path];
      const bound = Math.imul(range >>> 11, p);
      if (code >>> 0 < bound >>> 0) {
        range = bound;
        probabilities[i + path] = p + ((2048 - p) >> 5);
        path <<= 1;
      } else {
        range = (range - bound) | 0;
        code = (code - bound) | 0;
        probabilities[i + path] = p - (p >> 5);
        path = (path << 1) | 1;
      }
      if (range >>> 0 < 0x1000000) {
        range <<= 8;
        code = (code << 8) | input[this.at++];
      }
    }
    state[0] = range;
    state[1] = code;
    return path - (1 << n);
  }

  // reverse is tree, the lowest bit first.
  reverse(i, n) {
    const path = this.tree(i, n);
    let number = 0;
    for (let k = 0; k < n; k++) number |= ((path >> k) & 1) << (n - 1 - k);
    return number;
  }

  // plain reads a number of n bits that are as likely 0 as 1.
  plain(n) {
    const { state } = this;
    let number = 0;
    for (let k = 0; k < n; k++) {
      state[0] = state[0] >>> 1;
      const one = state[1] >>> 0 >= state[0] >>> 0;
      if (one) state[1] -= state[0];
      number = (number << 1) | (one ? 1 : 0);
      if (state[0] >>> 0 < 0x1000000) this.shift();
    }
    return number;
  }

  // length reads the length of a match from the table at i.
  length(i, position) {
    if (this.bit(i) === 0) return 2 + this.tree(i + SHORT_LENGTHS + 8 * position, 3);
    if (this.bit(i + 1) === 0) return 10 + this.tree(i + MEDIUM_LENGTHS + 8 * position, 3);
    return 18 + this.tree(i + LONG_LENGTHS, 8);
  }

  // distance reads how far back a match begins: 0 is the byte before.
  distance(length) {
    const slot = this.tree(SLOT + 64 * Math.min(length - 2, 3), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const high = (2 | (slot & 1)) << bits;
    if (slot < 14) return high + this.reverse(MIDDLE_BITS + high - slot, bits);
    return (high | (this.plain(bits - 4) << 4) | this.reverse(LOW_BITS, 4)) >>> 0;
  }

  // literal reads a byte. After a match its bits are read by those of expected, as long as they agree.
  literal(i, expected) {
    if (expected < 0) return this.tree(i, 8);
    let path = 1;
    for (let seen = expected; seen >= 0 && path < 256; ) {
      seen <<= 1;
      const bit = this.bit(i + 256 + (seen & 256) + path);
      path = (path << 1) | bit;
      if (((seen >> 8) & 1) !== bit) seen = -1;
    }
    while (path < 256) path = (path << 1) | this.bit(i + path);
    return path & 255;
  }

  // older reads which of the last four distances a match repeats.
  older(state) {
    let i = 0;
    while (i < 3 && this.bit(IS_OLDER + 12 * i + state) === 1) i++;
    return i;
  }

  // whole is whether the input ends as the end of the output does.
  whole() {
    return this.at === this.input.length && this.state[1] === 0;
  }
}

const damaged = () => new Error("the program in this page is damaged: load the page again");

// described is what the header says.
function described(input) {
  if (input.length < HEADER + 5 || input[0] >= 9 * 5 * 5) throw damaged();
  const view = new DataView(input.buffer, input.byteOffset, HEADER);
  const size = view.getUint32(5, true);
  if (size > 64 << 20 || view.getUint32(9, true) !== 0) throw damaged();
  return {
    size,
    contextBits: input[0] % 9,
    contextPositions: (1 << Math.floor(input[0] / 9) % 5) - 1,
    positions: (1 << Math.floor(input[0] / 45)) - 1,
  };
}

// toFront moves the distances before i one further, and puts one before them.
function toFront(distances, i, distance) {
  for (let k = i; k > 0; k--) distances[k] = distances[k - 1];
  distances[0] = distance;
}

// unpacked is what was packed. It throws if the bytes are not LZMA as a whole.
function unpacked(input) {
  const { size, contextBits, contextPositions, positions } = described(input);
  const decoder = new RangeDecoder(input, LITERAL + (0x300 << contextBits) * (contextPositions + 1));
  const output = new Uint8Array(size);
  const distances = new Uint32Array(4); // the last ones, the newest first
  let state = 0; // what the last choices were: below 7, the last was a literal
  let at = 0;
  while (at < size) {
    const position = at & positions;
    if (decoder.bit(IS_MATCH + 16 * state + position) === 0) {
      const before = at > 0 ? output[at - 1] >> (8 - contextBits) : 0;
      const context = ((at & contextPositions) << contextBits) | before;
      const expected = state < 7 ? -1 : output[at - distances[0] - 1];
      output[at++] = decoder.literal(LITERAL + 0x300 * context, expected);
      state = state < 4 ? 0 : state - (state < 10 ? 3 : 6);
      continue;
    }
    const afterMatch = state < 7 ? 0 : 1;
    let length = 1;
    if (decoder.bit(IS_REPEAT + state) === 0) {
      length = decoder.length(MATCH_LENGTH, position);
      distances.copyWithin(1, 0, 3);
      distances[0] = decoder.distance(length);
      state = 7 + 3 * afterMatch;
    } else {
      const older = decoder.older(state);
      toFront(distances, older, distances[older]);
      if (older > 0 || decoder.bit(IS_LONG_REPEAT + 16 * state + position) === 1) {
        length = decoder.length(REPEAT_LENGTH, position);
        state = 8 + 3 * afterMatch;
      } else {
        state = 9 + 2 * afterMatch;
      }
    }
    const back = distances[0] + 1;
    if (back > at || length > size - at) throw damaged();
    for (const end = at + length; at < end; at++) output[at] = output[at - back];
  }
  if (!decoder.whole()) throw damaged();
  return output;
}
