import { items } from '../../templates/template.js';
import { between, chance, faker, filled, pick } from '../draw.js';

/** A person of one row, whose name, address and handle agree. */
export interface Person {
  readonly first: string;
  readonly last: string;
}

// Names of faker that are more often a word or a place, which are left out.
const AMBIGUOUS =
  /^(?:Will|Mark|May|April|June|Grace|Hope|Faith|Rose|Grant|Chase|Virginia|Georgia|Paris|London|Austin|Dallas|Jordan|Chelsea|Madison|Christian|Art|Bill|Pat|Frank|Rich|Drew|Van|Ace|Royal|Baby|Golden|Price|West|Rice|Cole|Fields|Brown|White|Green|Black|Gray|Stone|Wood|Brooks|Rivers|Marks|Bins|Bode|Mayer|Hills|Bergstrom)$/;

function person(): Person {
  for (;;) {
    const first = faker.person.firstName();
    const last = chance(0.08) ? `${faker.person.lastName()}-${faker.person.lastName()}` : familyName();
    if (!AMBIGUOUS.test(first)) return { first, last };
  }
}

const WORLD_FAMILIES =
  "Okafor;Nguyen;Tanaka;Patel;Kim;Singh;Haddad;Novak;Kowalski;Rossi;Moreau;Fernández;Ivanova;Yılmaz;Osei;Mbeki;Larsson;Jensen;Müller;Schneider;van Dijk;de Vries;O'Connor;MacLeod;Sato;Chen;Wang;Rahman;Hussain;Aydın;Papadopoulos;Horváth;Popescu;Costa;Silva;Oliveira;García;Ramos;Castillo;Dubois;Lefèvre;Bianchi;Conti;Kaya;Abebe;Adeyemi;Banda;Choi;Park;Suzuki;Watanabe;Li;Zhang;Reddy;Iyer;Sharma;Farah;Nasser;Cohen;Levi;Petrov;Sokolov;Kovalenko;Nowak;Lindqvist;Virtanen;Nielsen".split(
    ';',
  );
const WORLD_FIRSTS =
  'Amara;Linh;Yuki;Priya;Min-jun;Arjun;Leila;Tomáš;Zofia;Giulia;Camille;Lucía;Svetlana;Emre;Kwame;Thabo;Freya;Anders;Lena;Jonas;Sanne;Bram;Siobhán;Ewan;Hana;Wei;Jing;Imran;Aisha;Deniz;Eleni;Gábor;Ioana;Beatriz;João;Rafael;Sofía;Mateo;Chloé;Antoine;Marco;Elif;Hanna;Chidi;Ngozi;Ji-woo;Haruto;Mei;Ravi;Ananya;Omar;Fatima;Noa;Yael;Dmitri;Olena;Jakub;Ingrid;Aino;Mikkel'.split(
    ';',
  );

const familyName = (): string => (chance(0.3) ? pick(WORLD_FAMILIES) : nameWithoutPlace());

function nameWithoutPlace(): string {
  for (;;) {
    const name = faker.person.lastName();
    if (!AMBIGUOUS.test(name)) return name;
  }
}

/** A person, at times from another part of the world than faker's English names. */
export function worldly(): Person {
  const { first, last } = person();
  return chance(0.25) ? { first: pick(WORLD_FIRSTS), last: pick(WORLD_FAMILIES) } : { first, last };
}

const DOMAINS = items('gmail.com;outlook.com;yahoo.com;icloud.com;proton.me;example.com;example.org;mail.example.net');
const WORK = items(
  'northwind;acme;bluepeak;harborlight;stellar;oakridge;fernhill;brightside;ironworks;lakeview;summit;quanta',
);

const plainLetters = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z]/g, '')
    .replaceAll('ı', 'i')
    .toLowerCase();

export function emailOf({ first, last }: Person): string {
  const [f, l] = [plainLetters(first) || 'info', plainLetters(last) || 'mail'];
  const local = pick([
    `${f}.${l}`,
    `${f}${l}`,
    `${f[0]}${l}`,
    `${f}_${l}`,
    `${f}.${l}${between(1, 99)}`,
    `${f}${between(70, 99)}`,
    `${l}.${f}`,
  ]);
  const domain = chance(0.6)
    ? pick(DOMAINS)
    : `${pick(WORK)}${pick(['.com', '.io', '.co.uk', '.org', '-group.com', '-labs.net'])}`;
  return `${local}@${domain}`;
}

export function handleOf({ first, last }: Person): string {
  const [f, l] = [plainLetters(first) || 'user', plainLetters(last) || 'name'];
  return pick([
    `${f}${l}${between(1, 99)}`,
    `${f}_${l}`,
    `${f[0]}${l}`,
    `${l}${filled('##')}`,
    `the_${f}`,
    `${f}.${l}`,
    `${f}${filled('###')}`,
  ]);
}

export const phone = (): string =>
  pick([
    () => filled('(2##) 555-01##'),
    () => filled('3##-555-01##'),
    () => filled('+1 4## 555 01##'),
    () => filled('+44 20 7946 0###'),
    () => filled('020 7946 0###'),
    () => filled('+44 7700 900###'),
    () => filled('07700 900###'),
    () => filled('+49 30 ########'),
    () => filled('+49 15#-#######'),
    () => filled('+33 6 ## ## ## ##'),
    () => filled('+34 6## ### ###'),
    () => filled('+91 98### #####'),
    () => filled('555-01##'),
    () => filled('+61 4## ### ###'),
  ])();

const JOBS =
  'software engineer;data analyst;data scientist;product manager;project manager;account manager;sales representative;marketing manager;graphic designer;UX designer;nurse;registered nurse;pharmacist;dentist;surgeon;physiotherapist;paramedic;teacher;school principal;professor;lawyer;paralegal;accountant;auditor;financial analyst;bank teller;electrician;plumber;carpenter;mechanic;welder;truck driver;pilot;flight attendant;chef;waiter;barista;baker;hairdresser;journalist;editor;photographer;translator;librarian;social worker;police officer;firefighter;security guard;receptionist;office manager;executive assistant;customer support agent;warehouse worker;supply chain manager;civil engineer;mechanical engineer;architect;research scientist;lab technician;veterinarian;farmer;real estate agent;insurance broker;HR manager;recruiter;chief executive;chief financial officer;CEO;CFO;CTO;operations manager;store manager;technical writer;DevOps engineer;systems administrator;security analyst;machine learning engineer'.split(
    ';',
  );

export const jobTitle = (): string =>
  chance(0.2)
    ? `${pick(['senior', 'junior', 'lead', 'assistant', 'deputy', 'regional'])} ${pick(JOBS.filter((job) => !/^(?:chief|C[EFT]O|senior|registered|executive)/.test(job)))}`
    : pick(JOBS);
