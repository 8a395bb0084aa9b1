import type { KnownPack } from './known-packs.js';

export const MANIFEST = 'manifest.json';

/** `manifest.json` of a pack's folder: the source of each file, for people and for other machines. */
export const manifestOf = (pack: KnownPack): string => {
  const { name, licence, repository, revision, files, dimensions, layers, output, pooling, prefix, wordLayer } = pack;
  const manifest = {
    name,
    licence,
    repository,
    revision,
    files,
    dimensions,
    layers,
    output,
    pooling,
    prefix,
    wordLayer,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
};
