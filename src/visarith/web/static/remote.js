// The engine that asks the server. What it takes and gives is written down in engine.md.

async function asked(path, options) {
  let response;
  try {
    response = await fetch(new URL(path, document.baseURI), options);
  } catch {
    throw new Error("the server does not answer; start it again with visarith serve");
  }
  const said = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(said.detail || `the server answers ${response.status}`);
  return said;
}

function posted(path, body) {
  return asked(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

export const engine = {
  learners: () => asked("api/learners"),
  calculate: (question) => asked(`api/calculate?${new URLSearchParams(question)}`),
  predict: (question) => posted("api/predict", question),
  think: (question) => posted("api/think", question),
  read: (question) => posted("api/read", question),
  results: () => asked("static/results.json"),
};
