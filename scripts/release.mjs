// Prepares a release in the current folder: `npm run release -- major|minor|patch|VERSION`. Sets the version wherever it is named, writes
// the changelog's section from the subjects of the commits since the last tag, and keeps a data folder of this release for upgrade
// specs. Commits and tags nothing. A trailer of a commit says where it goes: `Changelog: breaking` (or `Changelog: none`).
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const NAMED_IN = ['Dockerfile', 'docker-compose.yml', 'deploy/helm/anneal/Chart.yaml'];
const SECTIONS = { breaking: 'Breaking changes', changed: 'Changes' };

const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8' }).trim();
const versionOf = () => JSON.parse(readFileSync('package.json', 'utf8')).version;

const [, , increment] = process.argv;
if (increment === undefined)
  fail('name the part of the version that rises: major, minor or patch (or the version itself)');
if (run('git', 'status', '--porcelain') !== '') fail('commit or remove what has changed first');
const tag = run('git', 'tag', '--list', 'v*', '--sort=-v:refname').split('\n')[0];
const before = versionOf();
run('npm', 'version', increment, '--no-git-tag-version');
const version = versionOf();
for (const file of NAMED_IN) if (existsSync(file)) replaceIn(file, before, version);
const [heading, ...older] = readFileSync('CHANGELOG.md', 'utf8').split(/^(?=## )/m);
writeFileSync('CHANGELOG.md', [heading, section(), ...older].join(''));
if (existsSync('test/golden/releases/make.ts')) run('npm', 'run', 'release:folder', '--', '.', version);
console.log(`Read CHANGELOG.md, then: git add -A && git commit -m 'Release ${version}' && git tag v${version}`);

function section() {
  const range = tag === '' ? 'HEAD' : `${tag}..HEAD`;
  const format = '%s%x00%(trailers:key=Changelog,valueonly)%x01';
  const commits = run('git', 'log', '--no-merges', `--format=${format}`, range).split('\x01').slice(0, -1);
  const lines = { breaking: [], changed: [] };
  for (const commit of commits) {
    const [subject, trailer] = commit.split('\x00').map((text) => text.trim());
    if (trailer !== 'none') lines[trailer === 'breaking' ? 'breaking' : 'changed'].push(`- ${subject}\n`);
  }
  const parts = Object.entries(SECTIONS).flatMap(([name, title]) =>
    lines[name].length > 0 ? [`### ${title}\n\n${lines[name].join('')}\n`] : [],
  );
  return `## ${version} (${new Date().toISOString().slice(0, 10)})\n\n${parts.join('')}`;
}

function replaceIn(file, from, to) {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, to));
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
