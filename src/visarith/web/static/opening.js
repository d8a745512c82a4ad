// A picture file as intensities: its kind and size are read from its first bytes, before anything is decoded.

const MOST_BYTES = 30_000_000, MOST_SIDE = 10_000, MOST_FITTED = 500, MOST_DRAWN = 2000;

/** { values, width, height } in [0, 1], upright as the file says, at most MOST_FITTED pixels a side. */
export async function opened(file) {
  if (file.size > MOST_BYTES) throw new Error(`the picture has ${(file.size / 1e6).toFixed(0)} MB; 30 MB are the most`);
  const head = new Uint8Array(await file.slice(0, 500_000).arrayBuffer());
  const known = kindOf(head);
  if (!known) throw new Error("that is no PNG, JPEG or WebP picture; choose another file");
  if (known.animated) throw new Error("the picture is animated; choose a still one");
  if (Math.max(known.width, known.height) > MOST_SIDE) {
    throw new Error(`the picture has ${known.width} x ${known.height} pixels; ${MOST_SIDE} a side are the most`);
  }
  let image;
  try {
    image = await createImageBitmap(new Blob([file], { type: known.type }), { imageOrientation: "from-image" });
  } catch {
    throw new Error("the picture is damaged; choose another file");
  }
  return intensities(image);
}

/** The kind of a picture file by its first bytes, whatever its name says: { type, width, height, animated }. */
export function kindOf(head) {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength), text = (at, length) =>
    String.fromCharCode(...head.subarray(at, at + length));
  if (head.length > 30 && text(1, 3) === "PNG" && head[0] === 0x89) {
    const animated = text(0, head.length > 4096 ? 4096 : head.length).includes("acTL");
    return { type: "image/png", width: view.getUint32(16), height: view.getUint32(20), animated };
  }
  if (head.length > 30 && text(0, 4) === "RIFF" && text(8, 4) === "WEBP") return webp(view, text(12, 4));
  if (head.length > 4 && head[0] === 0xff && head[1] === 0xd8) return jpeg(view);
  return null;
}

function webp(view, chunk) {
  const type = "image/webp";
  if (chunk === "VP8X") {
    const side = (at) => 1 + view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
    return { type, width: side(24), height: side(27), animated: Boolean(view.getUint8(20) & 2) };
  }
  if (chunk === "VP8L") {
    const bits = view.getUint32(21, true);
    return { type, width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff), animated: false };
  }
  return { type, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff, animated: false };
}

// The frame header of a JPEG says its size; segments stand in front of it.
function jpeg(view) {
  const type = "image/jpeg";
  let at = 2;
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { type, width: view.getUint16(at + 7), height: view.getUint16(at + 5), animated: false };
    }
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return { type, width: 0, height: 0, animated: false };  // decoding will say what is wrong
}

function intensities(image) {
  const shrink = Math.min(1, MOST_DRAWN / Math.max(image.width, image.height));
  const width = Math.max(1, Math.round(image.width * shrink)), height = Math.max(1, Math.round(image.height * shrink));
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.imageSmoothingQuality = "high";
  pen.drawImage(image, 0, 0, width, height);
  image.close();
  const { data } = pen.getImageData(0, 0, width, height);
  return grey(reduced(data, width, height));
}

// Means over squares of pixels.
function reduced(data, width, height) {
  const part = Math.ceil(Math.max(width, height) / MOST_FITTED);
  const wide = Math.ceil(width / part), high = Math.ceil(height / part);
  const sums = new Float64Array(4 * wide * high), counts = new Float64Array(wide * high);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const to = Math.floor(y / part) * wide + Math.floor(x / part), from = 4 * (y * width + x);
      counts[to] += 1;
      for (let i = 0; i < 4; i++) sums[4 * to + i] += data[from + i];
    }
  }
  return { values: sums.map((sum, i) => Math.round(sum / counts[i >> 2])), width: wide, height: high };
}

// Transparent pixels become white if the ink is dark, otherwise black.
function grey({ values: data, width, height }) {
  const light = new Float64Array(width * height), opaque = new Float64Array(width * height);
  light.forEach((_, i) => {
    light[i] = (0.299 * data[4 * i] + 0.587 * data[4 * i + 1] + 0.114 * data[4 * i + 2]) / 255;
    opaque[i] = data[4 * i + 3] / 255;
  });
  const all = opaque.reduce((a, b) => a + b, 0), inked = light.reduce((sum, own, i) => sum + own * opaque[i], 0);
  const ground = inked < 0.5 * all && opaque.some((each) => each < 0.5) ? 1 : 0;
  const values = light.map((own, i) => Math.min(1, Math.max(0, own * opaque[i] + ground * (1 - opaque[i]))));
  return { values, width, height };
}
