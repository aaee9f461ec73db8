// Renders /openapi.json. Everything is set as text, so nothing in the description can become markup.
"use strict";

const make = (tag, text, ...children) => {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  node.append(...children);
  return node;
};

// Text between backticks is shown as code.
const markdown = (tag, text) => make(tag, "", ...(text || "").split("`").map((part, at) =>
  (at % 2 ? make("code", part) : part)));

let schemas = {};

const typeOf = (schema, depth = 0) => {
  if (!schema) return "";
  if (schema.$ref) {
    const name = schema.$ref.split("/").pop();
    // The values of an enum say more than its name.
    const found = schemas[name] || {};
    return found.enum || found.oneOf || found.anyOf ? typeOf(found, depth) : name;
  }
  const options = schema.oneOf || schema.anyOf;
  if (options) return options.map((one) => typeOf(one, depth)).filter(Boolean).join(" or ");
  if (schema.enum) return schema.enum.filter((value) => value !== null).map((value) => JSON.stringify(value)).join(", ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = [].concat(schema.type || "any").filter((one) => one !== "null");
  return types.map((one) => (one === "array" ? `list of ${typeOf(schema.items, depth + 1)}` : one)).join(" or ");
};

const table = (heads, rows) => {
  const head = make("tr", "", ...heads.map((text) => make("th", text)));
  const body = rows.map((cells) => make("tr", "", ...cells.map((cell) =>
    cell instanceof Node ? make("td", "", cell) : markdown("td", cell))));
  const wide = make("div", "", make("table", "", make("thead", "", head), make("tbody", "", ...body)));
  wide.className = "wide";
  return wide;
};

const fields = (schema, all) => {
  const found = schema.$ref ? all[schema.$ref.split("/").pop()] : schema;
  if (!found || !found.properties) return null;
  const required = found.required || [];
  return table(["field", "type", "* = required"], Object.entries(found.properties).map(([name, value]) => [
    make("code", name + (required.includes(name) ? " *" : "")), typeOf(value), value.description || "",
  ]));
};

const curl = (method, path, body, open) => {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}"${location.origin}${path}"`];
  if (!open) lines.push(`  -H "Authorization: Bearer $KEY"`);
  if (body) lines.push(`  -H "Content-Type: application/json"`, `  -d '${body}'`);
  return lines.join(" \\\n");
};

const bodies = {
  "/v1/batch/scrape": '{"urls": ["https://example.org/"]}',
};

// Returns path, method and description of the operations with a tag.
const tagged = (api, tag) => Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, operation]) => (operation.tags || []).includes(tag))
    .map(([name, operation]) => [path, name, operation]));

// Returns whether an operation never needs a key.
const isOpen = (operation) => (operation.security || []).some((one) => Object.keys(one).length === 0);

const show = (api) => {
  schemas = (api.components || {}).schemas || {};
  document.getElementById("about").textContent = `${api.info.description || ""} Version ${api.info.version}.`;
  const list = make("ul");
  const main = document.getElementById("operations");
  main.textContent = "";
  for (const { name: tag, description } of api.tags || []) {
    list.append(make("li", "", make("strong", description)));
    main.append(make("h1", description));
    for (const [path, name, operation] of tagged(api, tag)) {
      const method = name.toUpperCase();
      const id = `${name}-${path.replace(/\W+/g, "-")}`;
      const link = make("a", `${method} ${path}`);
      link.href = `#${id}`;
      list.append(make("li", "", link));
      const badge = make("span", method);
      badge.className = "method";
      const section = make("section", "", make("h2", "", badge, " ", make("code", path)), markdown("p", operation.summary));
      section.id = id;
      if (operation.description) section.append(markdown("p", operation.description));
      if (operation.parameters) {
        section.append(make("h3", "Parameters"), table(["name", "in", "meaning"], operation.parameters.map((one) =>
          [make("code", one.name), one.in, one.description || ""])));
      }
      const sent = operation.requestBody && operation.requestBody.content["application/json"].schema;
      if (sent) section.append(make("h3", "Body"), fields(sent, schemas) || make("p", typeOf(sent)));
      section.append(make("h3", "Responses"), table(["status", "type", "meaning"], Object.entries(operation.responses).map(
        ([status, response]) => [status, Object.values(response.content || {}).map((one) => typeOf(one.schema)).join(", "), response.description])));
      const success = operation.responses["200"] || operation.responses["202"];
      const json = success && success.content && success.content["application/json"];
      const shape = json && fields(json.schema, schemas);
      if (shape) section.append(make("h3", typeOf(json.schema)), shape);
      const body = sent && (bodies[path] || '{"url": "https://example.org/"}');
      section.append(make("pre", curl(method, path, body, isOpen(operation))));
      main.append(section);
    }
  }
  document.getElementById("contents").append(list);
};

fetch("/openapi.json").then((response) => response.json()).then(show).catch((error) => {
  document.getElementById("operations").textContent = `Cannot read openapi.json: ${error}`;
});
