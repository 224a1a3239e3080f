// Starts `hloir lsp` for HLO files, and shows the map that `hloir graph` makes of one; everything else is hloir's.
const { commands, ViewColumn, window, workspace } = require('vscode');
const { execFile } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

let LanguageClient, client;
// Without it (npm install) there are colors and graphs alone.
try { ({ LanguageClient } = require('vscode-languageclient/node')); } catch { /* as said */ }

const command = () => workspace.getConfiguration('hlo').get('server', 'hloir');

function graphPage(text) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hlo-')), file = path.join(folder, 'graph.html');
  return new Promise((done, failed) => {
    const child = execFile(command(), ['graph', '-', '-o', file], (error, printed, said) => {
      try {
        if (error) failed(new Error(said || error.message)); else done(fs.readFileSync(file, 'utf8'));
      } finally { fs.rmSync(folder, { recursive: true }); }
    });
    child.stdin.on('error', () => {});  // of a command that has ended, which the callback says
    child.stdin.end(text);
  });
}

// Beside the text, and made anew when that is saved.
async function showGraph() {
  const document = window.activeTextEditor && window.activeTextEditor.document;
  if (!document) return;
  const panel = window.createWebviewPanel('hlo.graph', `Graph of ${path.basename(document.fileName)}`, ViewColumn.Beside,
    { enableScripts: true, retainContextWhenHidden: true });
  const draw = async () => {
    try { panel.webview.html = await graphPage(document.getText()); } catch (error) { window.showErrorMessage(error.message); }
  };
  const saves = workspace.onDidSaveTextDocument((saved) => { if (saved === document) draw(); });
  panel.onDidDispose(() => saves.dispose());
  await draw();
}

exports.activate = (context) => {
  context.subscriptions.push(commands.registerCommand('hlo.graph', showGraph));
  if (!LanguageClient) return undefined;
  client = new LanguageClient('hlo', 'HLO', { command: command(), args: ['lsp', '--stdio'] }, { documentSelector: [{ language: 'hlo' }] });
  return client.start();
};

exports.deactivate = () => client && client.stop();
