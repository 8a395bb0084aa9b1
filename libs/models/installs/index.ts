export { engineFolders, findInstall, removeInstalls, type EngineFolders, type InstallFacts } from './folders.js';
export { InstallError } from './install-error.js';
export { outputOf, runTool } from './run-tool.js';
export { Unfinished } from './unfinished.js';
