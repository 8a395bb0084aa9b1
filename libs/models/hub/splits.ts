import { InvalidError } from '#domain/errors.js';
import { PART_NAME } from './names.js';
import { matchesPattern } from './pattern.js';
import { isRecord } from '#primitives/values.js';

export interface HubFile {
  readonly path: string;
  readonly size: number;
}

/** The requested configuration and split; null: the default one. */
interface SplitRequest {
  readonly config: string | null;
  readonly split: string | null;
}

interface HubSplit {
  readonly config: string;
  readonly split: string;
  /** Files by path, in the hub's own order. */
  readonly files: readonly HubFile[];
}

const DATA_FILE = /\.(?:jsonl|ndjson|json|csv|tsv|parquet|arrow|feather|conll|bio|iob2?)(?:\.gz)?$/i;
const NO_DATA =
  /(?:^|\/)(?:\.|dataset_infos?\.json$|dataset_dict\.json$|state\.json$|package(?:-lock)?\.json$|tsconfig\.json$)/i;
const DEFAULT = 'default';
/** About a second. */
const MAX_EFFORT = 300_000_000;

/** Words in file and folder names that mark a split when the card is silent (as in the `datasets` library). */
const SPLIT_WORDS = {
  train: ['train', 'training'],
  validation: ['validation', 'valid', 'val', 'dev'],
  test: ['test', 'testing', 'eval', 'evaluation'],
} as const;

/**
 * Finds the files of a split, by the dataset card or else by their names.
 * @param card `configs` of the card's metadata, untrusted
 * @throws InvalidError naming `config` or `split` and the available ones
 * @see https://huggingface.co/docs/hub/datasets-manual-configuration
 * @see https://huggingface.co/docs/hub/datasets-file-names-and-splits
 */
export function splitOf(files: readonly HubFile[], card: unknown, request: SplitRequest): HubSplit {
  const configs = configsOf(files.filter(isData), card);
  if (configs.length === 0) throw refusal('repo_id', 'has no files of rows: Parquet, Arrow, JSONL, JSON, CSV or CoNLL');
  const config = chosen('config', configs, request.config, (all) => all.find(({ isDefault }) => isDefault));
  const split = chosen('split', config.splits, request.split, (all) => all.find(({ name }) => name === 'train'));
  return { config: config.name, split: split.name, files: split.files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

interface Config {
  readonly name: string;
  readonly isDefault: boolean;
  readonly splits: readonly Split[];
}

interface Split {
  readonly name: string;
  readonly files: readonly HubFile[];
}

const isData = ({ path, size }: HubFile): boolean => size > 0 && DATA_FILE.test(path) && !NO_DATA.test(path);

function chosen<Named extends { readonly name: string }>(
  field: 'config' | 'split',
  all: readonly Named[],
  wanted: string | null,
  byDefault: (all: readonly Named[]) => Named | undefined,
): Named {
  const found =
    wanted === null ? (all.length === 1 ? all[0] : byDefault(all)) : all.find(({ name }) => name === wanted);
  if (found) return found;
  const names = all.slice(0, 50).map(({ name }) => JSON.stringify(name.slice(0, 80)));
  throw refusal(
    field,
    `${wanted === null ? 'is needed' : 'does not exist there'}: the repository has ${names.join(', ')}`,
  );
}

const refusal = (field: string, message: string): InvalidError =>
  new InvalidError({ path: [field], message, type: 'not_allowed' });

function configsOf(files: readonly HubFile[], card: unknown): readonly Config[] {
  const effort = new Effort();
  const said = Array.isArray(card) ? card.flatMap((entry) => configOf(files, entry, effort)) : [];
  const named = said.filter(({ splits }) => splits.length > 0);
  if (named.length > 0) {
    const marked = named.some(({ isDefault }) => isDefault);
    return marked ? named : named.map((config) => ({ ...config, isDefault: config.name === DEFAULT }));
  }
  const splits = splitsByName(files, effort);
  return splits.length === 0 ? [] : [{ name: DEFAULT, isDefault: true, splits }];
}

/** `{config_name, data_files?, data_dir?, default?}`; data files are a pattern, patterns, or `[{split, path}]`. */
function configOf(files: readonly HubFile[], entry: unknown, effort: Effort): readonly Config[] {
  if (!isRecord(entry) || !isPartName(entry['config_name'])) return [];
  const folder = typeof entry['data_dir'] === 'string' ? `${entry['data_dir'].replace(/^\.?\/+|\/+$/g, '')}/` : '';
  const within = files.filter(({ path }) => path.startsWith(folder));
  effort.spend(4 * files.length);
  const matching = (patterns: readonly string[]) => {
    const wanted = patterns.map((pattern) => ({ pattern, begin: beginOf(pattern) }));
    return within.filter(({ path }) => {
      const inside = path.slice(folder.length);
      return wanted.some(({ pattern, begin }) => {
        effort.spend(20);
        if (!inside.startsWith(begin)) return false;
        effort.spend(path.length * pattern.length);
        return matchesPattern(inside, pattern);
      });
    });
  };
  const data = entry['data_files'];
  const splits =
    data === undefined || data === null
      ? splitsByName(within, effort)
      : splitsSaid(data).map(({ name, patterns }) => ({ name, files: matching(patterns) }));
  return [
    {
      name: entry['config_name'],
      isDefault: entry['default'] === true,
      splits: splits.filter((split) => split.files.length > 0),
    },
  ];
}

/** Bounds the work for one card's patterns, so that it does not delay other callers. */
class Effort {
  private left = MAX_EFFORT;

  /** @param characters looked at, about */
  spend(characters: number): void {
    this.left -= characters;
    if (this.left < 0) throw refusal('repo_id', 'has too many files and patterns of files in its card');
  }
}

/** The common prefix of all paths that match a pattern. */
const beginOf = (pattern: string): string => pattern.replace(/^\.\//, '').split(/[*?]/, 1)[0] ?? '';

function splitsSaid(data: unknown): readonly { readonly name: string; readonly patterns: readonly string[] }[] {
  const plain = patternsOf(data);
  if (plain.length > 0) return [{ name: 'train', patterns: plain }];
  if (!Array.isArray(data)) return [];
  return data.flatMap((each) =>
    isRecord(each) && isPartName(each['split']) ? [{ name: each['split'], patterns: patternsOf(each['path']) }] : [],
  );
}

function patternsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : [];
}

/** Files whose name or folder names their split; if none does, all are `train`. */
function splitsByName(files: readonly HubFile[], effort: Effort): readonly Split[] {
  const by = new Map<string, HubFile[]>();
  for (const file of files) {
    effort.spend(8 * file.path.length);
    const name = splitWord(file.path);
    if (name === null) continue;
    const same = by.get(name);
    if (same) same.push(file);
    else by.set(name, [file]);
  }
  if (by.size === 0) return files.length === 0 ? [] : [{ name: 'train', files }];
  return [...by].map(([name, own]) => ({ name, files: own }));
}

/** `data/train-00000-of-00002.parquet` is train; so are `train.csv`, `my_train_set.jsonl`, `train/1.json`. */
function splitWord(path: string): string | null {
  const sharded = /(?:^|\/)([\w.]+)-\d{5}-of-\d{5}[^/]*$/.exec(path)?.[1];
  if (sharded !== undefined && !/[-_.]/.test(sharded)) return canonicalSplit(sharded) ?? sharded;
  // The name before the folder, the nearest folder first.
  for (const part of path.split('/').toReversed()) {
    const words = part.toLowerCase().split(/[^a-z]+/);
    const name = words.map(canonicalSplit).find((found) => found !== null);
    if (name) return name;
  }
  return null;
}

function canonicalSplit(word: string): string | null {
  for (const [name, words] of Object.entries(SPLIT_WORDS)) if ((words as readonly string[]).includes(word)) return name;
  return null;
}

/** Other names cannot be requested. */
const isPartName = (value: unknown): value is string => typeof value === 'string' && PART_NAME.test(value);
