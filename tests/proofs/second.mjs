// node second.mjs PROOF...: what the checker of the page says of each, a line each as netdp-verify prints them.
import { readFileSync } from "node:fs";
import { verify } from "../../web/src/verify.js";

for (const path of process.argv.slice(2)) {
  const said = verify(readFileSync(path, "utf8"));
  for (const line of said.holds ? said.answers : [`${said.line}: ${said.why}`]) console.log(said.holds ? `${path}: ${line}` : `${path}:${line}`);
}
