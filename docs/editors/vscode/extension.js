// Starts `gdl lsp` for rulesheets, and stops it with the editor.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const command = workspace.getConfiguration("gdl").get("command");
  client = new LanguageClient(
    "gdl",
    "Game Description Language",
    { command, args: ["lsp"] },
    { documentSelector: [{ language: "gdl" }, { language: "gdl-infix" }] },
  );
  await client.start();
};

exports.deactivate = () => client?.stop();
