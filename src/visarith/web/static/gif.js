// An animation as a GIF: frames of colour numbers, compressed by LZW as the format asks.

/** `frames` are { pixels, delay } with one colour number a pixel; `colours` are up to 256 triples of bytes. */
export function gif(width, height, colours, frames) {
  const bits = Math.max(2, Math.ceil(Math.log2(colours.length)));
  const parts = [letters("GIF89a"), short(width), short(height), [0x80 | (bits - 1), 0, 0]];
  parts.push(Array.from({ length: 2 ** bits }, (_, i) => colours[i] ?? [0, 0, 0]).flat());
  parts.push([0x21, 0xff, 11], letters("NETSCAPE2.0"), [3, 1, 0, 0, 0]);  // for ever
  for (const { pixels, delay } of frames) {
    parts.push([0x21, 0xf9, 4, 0], short(Math.round(delay / 10)), [0, 0]);
    parts.push([0x2c], short(0), short(0), short(width), short(height), [0, bits], blocks(compressed(pixels, bits)));
  }
  parts.push([0x3b]);
  return new Blob(parts.map((part) => Uint8Array.from(part)), { type: "image/gif" });
}

function letters(text) {
  return [...text].map((letter) => letter.charCodeAt(0));
}

function short(number) {
  return [number & 255, number >> 8];
}

// Codes of growing length; runs of pixels that occurred before get a code of their own.
function compressed(pixels, bits) {
  const clear = 2 ** bits, bytes = [];
  let known = new Map(), next = clear + 2, size = bits + 1, held = 0, holds = 0;
  const emit = (code) => {
    held |= code << holds;
    for (holds += size; holds >= 8; holds -= 8) {
      bytes.push(held & 255);
      held >>>= 8;
    }
  };
  emit(clear);
  let run = pixels[0];
  for (let i = 1; i < pixels.length; i++) {
    const name = run * 256 + pixels[i], code = known.get(name);
    if (code !== undefined) {
      run = code;
      continue;
    }
    emit(run);
    known.set(name, next);
    if (next === 2 ** size && size < 12) size += 1;
    next += 1;
    if (next > 4095) {
      emit(clear);
      known = new Map();
      [next, size] = [clear + 2, bits + 1];
    }
    run = pixels[i];
  }
  emit(run);
  emit(clear + 1);
  if (holds) bytes.push(held & 255);
  return bytes;
}

function blocks(bytes) {
  const made = [];
  for (let i = 0; i < bytes.length; i += 255) {
    const block = bytes.slice(i, i + 255);
    made.push(block.length, ...block);
  }
  made.push(0);
  return made;
}
