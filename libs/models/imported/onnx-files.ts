import { GLINER_CONFIG } from './gliner-config.js';
import type { ImportError } from './import-error.js';

/** The folder of graphs in a repository; at the top there may be some too. */
export const ONNX_FOLDER = 'onnx';

const GRAPH = /^(onnx\/)?[\w.-]+\.onnx$/;
const DEFAULTS = ['onnx/model.onnx', 'model.onnx'];

/** Whether this is the path of a graph, at the top of a repository or in its folder of graphs. */
export const isOnnx = (path: string): boolean => GRAPH.test(path);

/** Whether files are those of the `gliner` package, by their paths. */
export const isGliner = (paths: readonly string[]): boolean =>
  paths.includes(GLINER_CONFIG) && (paths.some(isOnnx) || !paths.includes('config.json'));

/**
 * The graph of a GLiNER model among the paths of its files: the requested one, else `model.onnx`, else the only one.
 * @param refuse names the repository or the folder before its text
 * @throws what `refuse` gives if there is none, or several, or if its numbers are in a file beside it
 */
export function chosenOnnx(
  paths: readonly string[],
  requested: string | null,
  refuse: (what: string) => ImportError,
): string {
  const graphs = paths.filter(isOnnx);
  const named = graphs.length === 0 ? 'no .onnx file' : graphs.join(', ');
  if (requested !== null && !graphs.includes(requested)) throw refuse(`has no ${requested}; it has ${named}`);
  const chosen = requested ?? DEFAULTS.find((path) => graphs.includes(path)) ?? graphs[0];
  if (chosen === undefined)
    throw refuse(
      `has gliner_config.json, but no .onnx file: write one with export_to_onnx of the Python package gliner`,
    );
  if (requested === null && graphs.length > 1 && !DEFAULTS.includes(chosen))
    throw refuse(`has ${graphs.length} .onnx files: pull one by --file, or leave one in (${named})`);
  const beside = [`${chosen}_data`, `${chosen}.data`].find((path) => paths.includes(path));
  if (beside !== undefined)
    throw refuse(`has numbers of ${chosen} in ${beside}, which is not read: choose another .onnx file`);
  return chosen;
}
