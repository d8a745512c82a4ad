// Starts the documentation of the API; its scripts come with the package.
window.addEventListener("DOMContentLoaded", () => {
  window.SwaggerUIBundle({ url: "/api/openapi.json", dom_id: "#docs", deepLinking: true, validatorUrl: null });
});
