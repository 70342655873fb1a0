// The dashboard before a controller's socket, for looking at it while it is made: node tests/proxy.mjs SOCKET PORT
import { createReadStream, existsSync } from "node:fs";
import http from "node:http";

const [socketPath, port] = process.argv.slice(2);
const types = { html: "text/html; charset=utf-8", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };
http.createServer((request, answer) => {
  const name = request.url === "/" ? "index.html" : request.url.slice(1).split("?")[0];
  if (/^[\w.]+$/.test(name) && existsSync(`dist/${name}`)) {
    answer.writeHead(200, { "Content-Type": types[name.split(".").pop()], "Content-Security-Policy": "default-src 'self'" });
    return void createReadStream(`dist/${name}`).pipe(answer);
  }
  const headers = { ...request.headers, host: "localhost" };
  delete headers.origin;
  const onward = http.request({ socketPath, path: request.url, method: request.method, headers }, (told) => {
    answer.writeHead(told.statusCode, told.headers);
    told.on("error", () => answer.destroy());
    told.pipe(answer);
  });
  onward.on("error", () => answer.destroy());
  answer.on("close", () => onward.destroy());
  request.pipe(onward);
}).listen(Number(port), "127.0.0.1");
