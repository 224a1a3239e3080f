// Starts `hloir lsp` for HLO files; everything else is the server's.
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = () => {
  const command = workspace.getConfiguration('hlo').get('server', 'hloir');
  client = new LanguageClient('hlo', 'HLO', { command, args: ['lsp', '--stdio'] }, { documentSelector: [{ language: 'hlo' }] });
  return client.start();
};

exports.deactivate = () => client && client.stop();
