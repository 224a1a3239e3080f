// The VS Code extension without VS Code: what package.json names is there, and extension.js, given stand-ins for
// `vscode` and `vscode-languageclient`, starts a server that answers: node tests/editors/vscode_test.js HLOIR
'use strict';
const assert = require('assert');
const { spawn } = require('child_process');
const fs = require('fs');
const Module = require('module');
const path = require('path');

const hloir = path.resolve(process.argv[2]);
const folder = path.resolve(__dirname, '../../editors/vscode');
const has = (file) => assert(fs.existsSync(path.join(folder, file)), `${file} is not there`);
const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json')));
for (const field of ['name', 'displayName', 'version', 'publisher', 'license', 'engines', 'main']) assert(manifest[field], `package.json has no ${field}`);
assert.match(manifest.name, /^[a-z0-9][a-z0-9-]*$/);
assert.match(manifest.version, /^\d+\.\d+\.\d+$/);
assert.match(manifest.engines.vscode, /^\^\d+\.\d+\.\d+$/);
has(manifest.main);
const [language] = manifest.contributes.languages, [grammar] = manifest.contributes.grammars;
has(language.configuration);
has(grammar.path);
JSON.parse(fs.readFileSync(path.join(folder, language.configuration)));
assert.strictEqual(grammar.language, language.id);
assert.strictEqual(JSON.parse(fs.readFileSync(path.join(folder, grammar.path))).scopeName, grammar.scopeName);
// Only what is declared may be required.
const code = fs.readFileSync(path.join(folder, manifest.main), 'utf8');
for (const [, name] of code.matchAll(/require\('([^']+)'\)/g))
  assert(name === 'vscode' || Module.builtinModules.includes(name) || Object.keys(manifest.dependencies).includes(name.split('/')[0]), `${name} is not declared`);

let child, answer = '', selector;
class LanguageClient {
  constructor(id, name, server, options) { this.server = server; selector = options.documentSelector; }
  start() {
    child = spawn(this.server.command, this.server.args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { capabilities: {} } });
    child.stdin.write(`Content-Length: ${text.length}\r\n\r\n${text}`);
    return new Promise((done, failed) => {
      child.on('error', failed);
      child.on('exit', () => failed(new Error('the server is gone')));
      child.stdout.on('data', (data) => { answer += data; if (answer.endsWith('}')) done(); });
    });
  }
  stop() { child.removeAllListeners('exit'); child.kill(); return Promise.resolve('stopped'); }
}
const asked = [];
// One editor with a module, and the panel that is opened beside it.
const document = { fileName: '/a/m.hlo', text: 'HloModule preview\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n', getText() { return this.text; } };
const panel = { webview: { html: '' }, onDidDispose: (then) => { panel.dispose = then; } };
const registered = {}, messages = [], context = { subscriptions: [] };
let opened, saved = null;
const vscode = {
  workspace: {
    getConfiguration: (section) => ({ get: (key) => (asked.push(`${section}.${key}`), hloir) }),
    onDidSaveTextDocument: (then) => { saved = then; return { dispose: () => { saved = null; } }; },
  },
  window: {
    activeTextEditor: { document },
    createWebviewPanel: (...how) => { opened = how; return panel; },
    showErrorMessage: (message) => messages.push(message),
  },
  commands: { registerCommand: (name, act) => { registered[name] = act; return name; } },
  ViewColumn: { Beside: -2 },
};
const load = Module._load;
Module._load = (name, ...rest) => name === 'vscode' ? vscode : name === 'vscode-languageclient/node' ? { LanguageClient } : load(name, ...rest);

const extension = require(path.join(folder, manifest.main));
setTimeout(() => { console.log('the server does not answer'); process.exit(1); }, 20000).unref();
extension.activate(context).then(async () => {
  assert.deepStrictEqual([...new Set(asked)], Object.keys(manifest.contributes.configuration.properties));
  assert.deepStrictEqual(selector, [{ language: language.id }]);
  assert(JSON.parse(answer.slice(answer.indexOf('{'))).result.capabilities.hoverProvider);
  // The graph: drawn, and drawn anew when its text is saved, with an error told; nothing is left behind.
  const { commands, menus } = manifest.contributes;
  assert.deepStrictEqual(Object.keys(registered), commands.map((c) => c.command));
  assert.strictEqual(menus['editor/title'][0].command, commands[0].command);
  assert.deepStrictEqual(context.subscriptions, ['hlo.graph']);
  const left = () => fs.readdirSync(require('os').tmpdir()).filter((name) => /^hlo-\w{6}$/.test(name)).length, before = left();
  await registered['hlo.graph']();
  assert.match(panel.webview.html, /"name":"preview"/);
  assert(opened[1].includes('m.hlo') && opened[3].enableScripts);
  const soon = async (what, holds) => {
    for (let k = 0; k < 200 && !holds(); ++k) await new Promise((done) => setTimeout(done, 50));
    assert(holds(), what);
  };
  document.text = document.text.replace('preview', 'again');
  saved({});
  saved(document);
  await soon('a saved text is not drawn', () => /"name":"again"/.test(panel.webview.html));
  document.text = 'HloModule broken\nENTRY e {\n  ROOT x = f32[2] adde(x)\n}\n';
  saved(document);
  await soon('an error is not told', () => messages.length === 1 && /did you mean 'add'/.test(messages[0]));
  assert.strictEqual(left(), before);
  panel.dispose();
  assert.strictEqual(saved, null);
  assert.strictEqual(await extension.deactivate(), 'stopped');
}).catch((error) => { console.log(String(error.stack)); child?.kill(); process.exit(1); });
