// The API of `visarith serve`: Tesseract, and the networks and rules that only Python can run.

/** Whether this page has a server. */
export function served() {
  return globalThis.visarithSite.served;
}

/** What the API says to a question with pictures or to two numbers. */
export function askedInstead(question) {
  if (question.pictures?.length) return asked("predict", question);
  const { op, learner, a, b, noise = 0, seed = 0, permuted = false } = question;
  return asked(`calculate?${new URLSearchParams({ op, learner, a, b, noise, seed, permuted })}`);
}

/** Ask the API; a body is sent as JSON. */
export async function asked(path, body) {
  const headers = { "content-type": "application/json" };
  let response;
  try {
    const options = body ? { method: "POST", headers, body: JSON.stringify(body) } : {};
    response = await fetch(new URL(`api/${path}`, document.baseURI), options);
  } catch {
    throw new Error("the server does not answer; start it again with visarith serve");
  }
  const said = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(said.detail || `the server answers ${response.status}`);
  return said;
}
