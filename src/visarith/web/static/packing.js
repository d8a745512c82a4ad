// A painted picture as a short text for the address: the bytes in which it differs from the typeset one, in runs.
// A run is how many bytes to skip, how many follow, and these; a count of 255 or more goes on in the next byte.

const VERSION = 1;

export function pack(bytes, plain) {
  const packed = [VERSION, ...count(bytes.length)];
  let at = 0;
  while (at < bytes.length) {
    const from = at;
    while (at < bytes.length && bytes[at] === plain[at]) at++;
    if (at === bytes.length) break;
    const begin = at;
    let same = 0;  // a gap of two equal bytes costs as much as a run
    while (at < bytes.length && same < 3) same = bytes[at] === plain[at++] ? same + 1 : 0;
    at -= same;
    packed.push(...count(begin - from), ...values(bytes.subarray(begin, at)));
  }
  return text(packed);
}

/** The picture again; an error where the text is no such picture. */
export function unpack(packed, plain) {
  const wrong = () => new Error("the painting in this address is damaged; ask for the link again");
  let bytes;
  try {
    bytes = Uint8Array.from(atob(packed.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  } catch {
    throw wrong();
  }
  let read = 0;
  const next = () => {
    if (read >= bytes.length) throw wrong();
    return bytes[read++];
  };
  const number = () => {
    let sum = 0, part;
    do sum += part = next(); while (part === 255);
    return sum;
  };
  if (next() !== VERSION || number() !== plain.length) throw wrong();
  const picture = Uint8Array.from(plain);
  let at = 0;
  while (read < bytes.length) {
    at += number();
    const length = number(), flat = next();
    if (!length || at + length > picture.length || flat > 1) throw wrong();
    const one = flat ? next() : 0;
    for (let i = 0; i < length; i++) picture[at++] = flat ? one : next();
  }
  return picture;
}

// So many bytes, and whether they are all the same; then that one, or each.
function values(bytes) {
  const flat = bytes.length > 1 && bytes.every((byte) => byte === bytes[0]);
  return [...count(bytes.length), Number(flat), ...(flat ? [bytes[0]] : bytes)];
}

function count(number) {
  return [...new Array(Math.floor(number / 255)).fill(255), number % 255];
}

function text(bytes) {
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
