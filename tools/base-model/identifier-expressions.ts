import type { Random } from '#gpu-runner/engines/builtin/random.js';
import { items } from '#rows/synthetic/templates/template.js';
import { between, chance, filled, pick, weighted } from './choice.js';
import { inventedWord } from './invented-words.js';

/** Strings that machines and offices give out: numbers, addresses of the network, paths, codes. */

export function identifier(random: Random): string {
  return weighted(random, [
    [
      4,
      () =>
        filled(
          random,
          pick(random, ['@@-#####', '@@@-####', '@@-####-##', '@@@-####-###', '@@-#####-@', '@-######', '@@@@-##-###']),
        ),
    ],
    [
      2,
      () =>
        `${pick(random, ['INV', 'ORD', 'PO', 'SO', 'TCK', 'REF', 'CASE', 'RMA', 'ID', 'CUST', 'JIRA', 'BUG', 'PRJ', 'DOC', 'SR', 'KD', 'RE'])}${pick(random, ['-', '-', '#', ' ', ''])}${pick(random, ['2021-', '2023-', '2024/', '', '', ''])}${filled(random, pick(random, ['####', '#####', '######', '00###']))}`,
    ],
    [
      3,
      () =>
        `${pick(random, ['#', '#', 'no. ', 'No ', ''])}${filled(random, pick(random, ['####', '#####', '######', '########']))}`,
    ],
    [
      2,
      () =>
        filled(
          random,
          pick(
            random,
            items('##########;#######;###-#######-#######;####-####-##;##-#######;###-##-####;############'),
          ),
        ),
    ],
    [
      2,
      () =>
        filled(
          random,
          pick(
            random,
            items('@#@#@#;@@####;#@##@###;@@@###;@#######;@@#########@@;#@ ### ### ## #### ###;@@@@@@;@#@##@'),
          ),
        ),
    ],
    [1, () => filled(random, '********-****-****-****-************')],
    [1, () => filled(random, pick(random, ['*******', '************', '0x****']))],
  ])();
}

export function digits4(random: Random): string {
  return filled(random, '####');
}

/** @param name a given or family name to build on */
export function email(random: Random, first: string, last: string): string {
  const user = weighted(random, [
    [4, () => `${plain(first)}.${plain(last)}`],
    [2, () => `${plain(first).slice(0, 1)}.${plain(last)}`],
    [2, () => `${plain(first)}${filled(random, pick(random, ['', '#', '##', '####']))}`],
    [1, () => `${plain(first)}_${plain(last)}${filled(random, pick(random, ['', '##']))}`],
    [1, () => `${plain(last)}${plain(first).slice(0, 1)}`],
    [
      3,
      () =>
        pick(
          random,
          items(
            'info;support;sales;contact;billing;hr;jobs;press;admin;office;hello;no-reply;service;orders;team;accounts+eu;help',
          ),
        ),
    ],
  ])();
  return `${user}@${chance(random, 0.35) ? pick(random, ['gmail.com', 'yahoo.com', 'hotmail.com', 'outlook.com', 'example.com', 'example.org', 'icloud.com', 'web.de', 'mail.ru', 'proton.me']) : domain(random)}`;
}

function plain(name: string): string {
  return (
    name
      .normalize('NFD')
      .replace(/[^a-zA-Z]/g, '')
      .toLowerCase() || 'mail'
  );
}

function domain(random: Random): string {
  const name = pick(random, [
    () => inventedWord(random),
    () =>
      `${inventedWord(random)}-${pick(random, ['group', 'shop', 'online', 'labs', 'tech', 'media', 'hotel', 'solutions', 'bank'])}`,
    () =>
      `${pick(random, ['my', 'the', 'get', 'go', 'north', 'blue', 'green', 'open', 'smart'])}${pick(random, ['shop', 'market', 'cloud', 'house', 'travel', 'garden', 'books', 'parts', 'news', 'mail'])}`,
  ])().toLowerCase();
  const suffix = pick(
    random,
    items(
      'com;com;com;com;org;net;io;de;co.uk;fr;eu;es;it;dev;app;ai;ch;ca;com.au;gov;edu;info;co;me;tv;se;nl;in;co.jp;br',
    ),
  );
  return `${name}.${suffix}`;
}

export function url(random: Random): string {
  const path = pick(random, ['', '', '/', '/login', '/en/help', '/docs', '/products/123', '/about-us', '/a/b?id=7', '/wiki/Main_Page', '/p/Bq3x', '/2021/05/news.html', '/faq#top', '/issues/42', '/index.php?page=2']); // prettier-ignore
  return weighted(random, [
    [5, () => `https://${chance(random, 0.5) ? 'www.' : ''}${domain(random)}${path}`],
    [2, () => `http://${domain(random)}${path}`],
    [3, () => `www.${domain(random)}${path}`],
    [3, () => `${domain(random)}${path}`],
    [
      2,
      () =>
        `http://${pick(random, ['t.co', 'bit.ly', 'youtu.be', 'goo.gl', 'ow.ly', 'tinyurl.com', 'fb.me', '4sq.com', 'instagr.am'])}/${filled(random, '?@#?@#?')}`,
    ],
    [
      1,
      () =>
        `https://${pick(random, ['github.com', 'docs', 'api', 'shop', 'portal', 'status'])}.${domain(random)}${path}`,
    ],
    [1, () => `http://localhost:${between(random, 3000, 9999)}`],
  ])();
}

export function ipAddress(random: Random): string {
  const part = () => between(random, 0, 255);
  return weighted(random, [
    [6, () => `${pick(random, [10, 192, 172, 8, 127, part()])}.${part()}.${part()}.${part()}`],
    [1, () => `192.168.${between(random, 0, 9)}.${part()}`],
    [1, () => `${part()}.${part()}.${part()}.${part()}:${between(random, 80, 9999)}`],
    [1, () => `10.${part()}.${part()}.0/${pick(random, [8, 16, 24])}`],
    [
      1,
      () =>
        filled(
          random,
          pick(random, ['2001:db8::****:****', 'fe80::****:****:****:****', '2001:0db8:****:0000:0000:****:****:****']),
        ),
    ],
  ])();
}

const folders = ['var', 'log', 'etc', 'home', 'usr', 'opt', 'src', 'data', 'tmp', 'app', 'Users', 'Documents', 'Desktop', 'Downloads', 'projects', 'images', 'backup', 'config', 'assets', 'reports', 'server', 'lib', 'www', 'Program Files', 'build']; // prettier-ignore
const fileNames = ['report', 'notes', 'error', 'access', 'budget', 'photo', 'index', 'main', 'config', 'settings', 'invoice', 'backup', 'readme', 'data', 'train', 'presentation', 'contract', 'cv', 'schema', 'nginx', 'server', 'app', 'test', 'draft_v2', 'sales-2023', 'final_final', 'IMG_2041', 'export', 'users', 'requirements', 'package', 'docker-compose', 'Budget2024', 'scan001']; // prettier-ignore

/** @param extensions without dots */
export function filePath(random: Random, extensions: readonly string[]): string {
  const name = pick(random, fileNames);
  const extension = chance(random, 0.75)
    ? pick(
        random,
        items(
          'pdf;txt;log;csv;json;docx;xlsx;png;jpg;py;ts;js;yaml;yml;conf;zip;md;html;xml;sql;sh;mp4;pptx;ini;tar.gz;doc;exe;cfg',
        ),
      )
    : pick(random, extensions);
  const deep = (separator: string) =>
    Array.from({ length: between(random, 1, 4) }, () => pick(random, folders)).join(separator);
  return weighted(random, [
    [4, () => `/${deep('/')}/${name}.${extension}`],
    [2, () => `/${deep('/')}`],
    [1, () => `/${deep('/')}/`],
    [2, () => `C:\\${deep('\\')}\\${name}.${extension}`],
    [1, () => `~/${deep('/')}/${name}.${extension}`],
    [1, () => `./${deep('/')}/${name}.${extension}`],
    [2, () => `${deep('/')}/${name}.${extension}`],
    [4, () => `${name}.${extension}`],
  ])();
}

const ibanCountries = items('DE##;FR##;GB##;NL##;ES##;IT##;CH##;AT##;BE##;PL##;SE##;PT##;LU##;IE##');

export function iban(random: Random): string {
  const country = filled(random, pick(random, ibanCountries));
  const bank = chance(random, 0.25) ? filled(random, '@@@@') : filled(random, '####');
  const groups = [
    bank,
    ...Array.from({ length: between(random, 2, 4) }, () => filled(random, '####')),
    filled(random, pick(random, ['##', '#', '###', '####'])),
  ];
  return [country, ...groups].join(chance(random, 0.5) ? ' ' : '');
}

export function creditCard(random: Random): string {
  const groups = chance(random, 0.85)
    ? [
        filled(random, pick(random, ['4###', '5###', '6011', '2###'])),
        filled(random, '####'),
        filled(random, '####'),
        filled(random, '####'),
      ]
    : [filled(random, '3###'), filled(random, '######'), filled(random, '#####')];
  return groups.join(pick(random, [' ', '-', '', ' ']));
}

export function cryptoAddress(random: Random): string {
  const base58 = (length: number) =>
    Array.from({ length }, () => pick(random, [...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'])).join(
      '',
    );
  return weighted(random, [
    [3, () => `0x${filled(random, '*'.repeat(40))}`],
    [2, () => `bc1q${filled(random, '*'.repeat(38))}`],
    [2, () => `${pick(random, ['1', '3'])}${base58(between(random, 26, 33))}`],
    [1, () => `${pick(random, ['L', 'M', 'T', 'r', 'D'])}${base58(33)}`],
  ])();
}

/** Codes of the larger airlines. */
const carriers = ['LH', 'BA', 'AF', 'KL', 'FR', 'U2', 'W6', 'IB', 'AZ', 'SK', 'AY', 'LX', 'OS', 'TP', 'EI', 'SU', 'TK', 'EK', 'EY', 'QR', 'LY', 'ET', 'AI', 'SQ', 'CX', 'QF', 'NZ', 'JL', 'NH', 'KE', 'CA', 'MU', 'TG', 'MH', 'AA', 'DL', 'UA', 'WN', 'B6', 'AS', 'NK', 'AC', 'AM', 'LA', 'VS', 'AV', 'BAW', 'UAL', 'DLH']; // prettier-ignore

export function flightNumber(random: Random): string {
  return `${pick(random, carriers)}${pick(random, ['', '', ' ', '-'])}${filled(random, pick(random, ['##', '###', '###', '####']))}`;
}

export function licensePlate(random: Random): string {
  return filled(random, pick(random, ['@@@ ###', '@@@-###', '@@@-####', '@@@ ####', '@@## @@@', '@@##@@@', '@-@@ ###', '@@-@@ ####', '@-@ ##', '#@@@###', '@@-###-@@', '@@ ## @@ ####', '###-@@@', '@@ ### @@', '@@@ ##@', '@@@ @@ ##', '@# ### @@'])); // prettier-ignore
}

export function version(random: Random): string {
  const major = between(random, 0, 24);
  return weighted(random, [
    [4, () => `${major}.${between(random, 0, 30)}.${between(random, 0, 30)}`],
    [4, () => `${major}.${between(random, 0, 20)}`],
    [3, () => `v${major}.${between(random, 0, 9)}${chance(random, 0.5) ? `.${between(random, 0, 9)}` : ''}`],
    [
      1,
      () =>
        `${major}.${between(random, 0, 9)}.0-${pick(random, ['beta', 'rc1', 'alpha.2', 'beta.1', 'rc.3', 'SNAPSHOT'])}`,
    ],
    [1, () => `v${major}`],
    [1, () => pick(random, ['22.04 LTS', '10.15', '2024.1', '19H2', '2019b', '3.x', 'R2023a'])],
    [1, () => String(between(random, 2, 24))],
  ])();
}

export function handle(random: Random, first: string, last: string): string {
  return weighted(random, [
    [2, () => `${plain(first)}${filled(random, pick(random, ['', '#', '##', '####', '_##']))}`],
    [2, () => `${plain(first)}_${plain(last)}`],
    [1, () => `${first.replace(/[^A-Za-z]/g, '')}${last.replace(/[^A-Za-z]/g, '')}`],
    [
      2,
      () =>
        `${pick(random, ['real', 'the', 'its', 'mr', 'dj', 'iam', 'team', 'dark', 'super', 'happy', 'night', 'sky', 'pixel', 'lil', 'xx'])}${pick(random, ['', '_'])}${pick(random, ['wolf', 'cat', 'gamer', 'queen', 'king', 'coder', 'rider', 'girl', 'boy', 'fox', 'ninja', 'panda', plain(first)])}${filled(random, pick(random, ['', '##', '_##', '####']))}`,
    ],
    [2, () => `${inventedWord(random)}${filled(random, pick(random, ['', '#', '##', '_x']))}`],
  ])();
}

export function hashtag(random: Random, words: readonly string[]): string {
  const word = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');
  return weighted(random, [
    [4, () => `#${word(pick(random, words))}`],
    [2, () => `#${word(pick(random, words))}${word(pick(random, words))}`],
    [
      3,
      () =>
        `#${pick(random, ['love', 'tbt', 'nofilter', 'happy', 'fail', 'winning', 'news', 'breaking', 'job', 'jobs', 'travel', 'food', 'music', 'NowPlaying', 'MusicMonday', 'FF', 'TeamFollowBack', 'blessed', 'lol', 'Election2020', 'COP26', 'BlackLivesMatter', 'MeToo', 'AI', 'startup', 'GoT', 'WorldCup2022', 'fashion', 'monday', 'MondayMotivation', 'TGIF', 'selfie', 'giveaway', 'sale', 'crypto', 'js', 'python', '100DaysOfCode'])}`,
    ],
    [1, () => `#${inventedWord(random)}${filled(random, pick(random, ['', '##', '20##']))}`],
  ])();
}

export function phone(random: Random): string {
  return filled(random, pick(random, ['###-###-####', '(###) ###-####', '+1 ### ### ####', '+1-###-###-####', '1-800-###-####', '+1 (###) ###-####', '###.###.####', '### ### ####', '##########', '+44 20 #### ####', '+44 7### ######', '07### ######', '020 #### ####', '0#### ######', '+49 30 #######', '+49 ### #######', '0##/#######', '0### #######', '+33 # ## ## ## ##', '0# ## ## ## ##', '+34 ### ### ###', '+39 0# #### ####', '+41 ## ### ## ##', '+91 ##### #####', '+91-##########', '+61 # #### ####', '+27 ## ### ####', '+86 ### #### ####', '+81 3-####-####', '+55 11 #####-####', '+254 7## ######', '+234 ### ### ####', '00## ### ######', '+## ## ### ####', '555-####', '###-####', '+## ### ### ###', '(0##) ### ## ##', '1-888-###-####', '(###)###-####', '### ####', '+1.###.###.####', '###-###-#### ext. ###', '+31 6 ########'])); // prettier-ignore
}

export function postalCode(random: Random): string {
  return filled(random, pick(random, ['#####', '#####', '#####', '#####', '#####-####', '@@# #@@', '@@## #@@', '@# #@@', '@@#@ #@@', '@#@ #@#', '@#@#@#', '####', '#### @@', '######', '##-###', '### ##', 'D-#####', 'CH-####', '#####-###', 'SW1A #@@', 'LV-####'])); // prettier-ignore
}
