// Starts `gdl lsp` for rulesheets, and stops it with the editor.

const { window, workspace } = require("vscode");
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
  try {
    await client.start();
  } catch {
    client = undefined; // what has not started cannot be stopped
    window.showErrorMessage(
      `${command} lsp does not start. It comes with pip install 'ggp-player[lsp]'; ` +
        "where gdl is not in the path, the setting gdl.command names it.",
    );
  }
};

exports.deactivate = () => client?.stop();
