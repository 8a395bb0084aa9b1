import { readWordList } from '#primitives/text/lexicons/index.js';
import { items } from '../../templates/template.js';
import { between, chance, faker, filled, pick } from '../draw.js';

const lists = new Map<string, readonly string[]>();

/** An item of one of the project's word lists, without its article. */
export function listed(name: string, keep: RegExp = /^(?!the )/i): string {
  let list = lists.get(name);
  if (!list) lists.set(name, (list = readWordList(name).filter((item) => keep.test(item) && item.length > 2)));
  return pick(list);
}

const GOODS = items(
  "laptop;phone case;wireless headset;bluetooth speaker;office chair;standing desk;coffee maker;espresso machine;blender;air fryer;toaster;electric kettle;vacuum cleaner;robot vacuum;rain poncho;winter jacket;raincoat;leather wallet;backpack;suitcase;yoga mat;water bottle;desk lamp;floor lamp;mattress;pillow;bed frame;bookshelf;dining table;garden hose;lawn mower;cordless drill;paint roller;bicycle helmet;mountain bike;electric scooter;baby stroller;car seat;board game;jigsaw puzzle;fountain pen;notebook;printer;ink cartridge;monitor;mechanical keyboard;gaming mouse;webcam;router;power bank;USB-C cable;smartwatch;fitness tracker;digital camera;tripod;drone;e-reader;tablet;hair dryer;electric toothbrush;razor;face cream;shampoo;perfume;umbrella;sleeping bag;tent;camping stove;frying pan;chef's knife;cutting board;shower curtain;space heater;ceiling fan;smoke detector;doorbell camera",
);
const PRODUCTS = items(
  'iPhone 15;iPhone 14 Pro;MacBook Air;MacBook Pro;iPad Pro;Apple Watch;AirPods Pro;Galaxy S24;Galaxy Watch;Pixel 8;Surface Pro;ThinkPad X1;Kindle Paperwhite;Echo Dot;Nest Thermostat;PlayStation 5;Xbox Series X;Nintendo Switch;Oculus Quest 3;GoPro Hero 12;Dyson V15;Roomba j7;Instant Pot;Nespresso Vertuo;Fitbit Charge 6;Garmin Forerunner 265;Bose QuietComfort 45;Sony WH-1000XM5;Logitech MX Master 3;Canon EOS R6;Philips Sonicare;KitchenAid Artisan;Weber Genesis;Herman Miller Aeron;Yeti Rambler',
);

/** A product: its name, or its kind with a distinguishing word. */
export const product = (): string => (chance(0.4) ? pick(PRODUCTS) : goods());
export const goods = (): string => {
  const one = pick(GOODS);
  return COLOURED.test(one) && chance(0.5)
    ? `${pick(['black', 'blue', 'grey', 'white', 'red', 'green', 'silver'])} ${one}`
    : one;
};
const COLOURED =
  /jacket|poncho|wallet|backpack|suitcase|chair|lamp|headset|kettle|umbrella|bottle|helmet|case|coat|bike|scooter|stroller|toaster|blender|speaker|tent/;

const FIRM_WORDS = items(
  'Northwind;Bluepeak;Harborlight;Silverline;Oakridge;Brightwater;Ironwood;Lakeshore;Summit;Meridian;Vertex;Keystone;Pinnacle;Redwood;Granite;Evergreen;Horizon;Crestview;Sterling;Aurora;Beacon;Catalyst;Cobalt;Everline;Fairmont;Helix;Juniper;Lumen;Nimbus;Orion;Polaris;Quantum;Solstice;Trident;Vanguard;Westbrook',
);
const FIRM_KINDS = items(
  'Logistics;Software;Foods;Pharmaceuticals;Energy;Consulting;Insurance;Capital;Media;Robotics;Textiles;Motors;Health;Analytics;Construction;Retail;Airways;Semiconductors;Biotech;Partners;Systems;Studios;Labs;Industries;Holdings;Group',
);
const FIRM_FORMS = ['', '', '', ' Inc.', ' Ltd', ' GmbH', ' LLC', ' Corp.', ' plc'];

export const company = (): string =>
  chance(0.45)
    ? listed('company', /^[A-Z][\w&'’.-]*(?: [A-Z][\w&'’.-]*){0,2}$/)
    : chance(0.7)
      ? `${pick(FIRM_WORDS)} ${pick(FIRM_KINDS)}${pick(FIRM_FORMS)}`
      : `${faker.person.lastName()} ${pick(['& Sons', '& Partners', 'Brothers', 'Industries', 'Group', '& Co.'])}`;

/** Each name includes its article. */
const BODIES = items(
  'World Health Organization;United Nations;Red Cross;European Commission;European Central Bank;Federal Reserve;World Bank;International Monetary Fund;European Space Agency;World Wildlife Fund;Department of Education;Ministry of Health;Environmental Protection Agency;Food and Drug Administration;Securities and Exchange Commission;Federal Trade Commission;Salvation Army;World Trade Organization;Bank of England;House of Commons;Chamber of Commerce;National Weather Service;Civil Aviation Authority;Data Protection Authority;Metropolitan Police;Coast Guard;Royal Society;European Parliament;African Union;Arab League;International Red Cross;Ministry of Finance;Department of Justice;Department of Transportation;Federal Communications Commission;World Food Programme;International Energy Agency;National Park Service',
);
const UNIVERSITIES = items(
  "Harvard University;Stanford University;MIT;University of Oxford;University of Cambridge;ETH Zurich;University of Toronto;Imperial College London;University of Melbourne;National University of Singapore;Columbia University;Yale University;Princeton University;University of Tokyo;Tsinghua University;Delft University of Technology;University of Edinburgh;Heidelberg University;Sorbonne University;University of Cape Town;McGill University;Uppsala University;University of São Paulo;Trinity College Dublin;King's College London;University of Michigan;Johns Hopkins University;Duke University",
);

export const publicBody = (): string => pick(BODIES);
export const university = (): string => pick(UNIVERSITIES);

const HEADS = items(
  "Riverside;Lakeside;Central;Grand;Memorial;Victoria;Northgate;Parkview;Harbour;Hillcrest;Eastfield;Westgate;Old Town;Liberty;Queen's;St. Mary's;King's",
);
export const hospital = (): string =>
  `${pick([...HEADS, "St. Luke's", 'Mercy', 'Good Samaritan'])} ${pick(['Hospital', 'General Hospital', 'Medical Center', 'Clinic'])}`;
export const facility = (): string =>
  `${pick(HEADS)} ${pick(['Stadium', 'Arena', 'Museum', 'Library', 'Station', 'Theatre', 'Convention Center', 'Park', 'Mall', 'Airport', 'Bridge', 'Concert Hall', 'Gallery', 'Hotel'])}`;
const TABLES = items(
  'Golden Dragon;Olive Garden;Little Italy;Blue Lagoon;Rustic Spoon;Corner Bistro;Casa Lupita;Chez Marcel;Trattoria Bella;Sakura House;Spice Route;Copper Kettle;Harvest Table;Red Lantern;Green Fork;Salty Dog;Bombay Palace;Taco Loco;La Piazza;Smoke & Barrel;Noodle Bar;Lemon Tree;Old Mill;Pho Saigon;Blue Door;Fat Duck;Hungry Bear;Seaside Grill;Mango Tree;Iron Skillet',
);
export const restaurant = (): string =>
  chance(0.75)
    ? pick(TABLES)
    : `${faker.person.firstName()}'s ${pick(['Kitchen', 'Diner', 'Café', 'Pizzeria', 'Grill'])}`;

export const FOODS = items(
  'margherita pizza;spaghetti carbonara;lasagna;mushroom risotto;cheeseburger;chicken curry;pad thai;sushi platter;ramen;burrito;falafel wrap;Caesar salad;Greek salad;tomato soup;clam chowder;grilled salmon;roast chicken;steak;garlic bread;fried rice;tofu stir-fry;vegetable curry;hummus;cheesecake;tiramisu;apple pie;chocolate cake;ice cream;croissant;bagel;avocado toast;oatmeal;onion soup;beef stew;seafood paella;chicken tikka masala;miso soup;pulled pork sandwich;tuna salad;veggie burger;potato gratin;lemon tart;carrot cake;fish pie;duck confit;shrimp linguine',
);
export const CUISINES = items(
  'Italian;Thai;Mexican;Indian;Japanese;Chinese;French;Greek;Spanish;Korean;Vietnamese;Lebanese;Turkish;Ethiopian;Moroccan;Peruvian',
);
export const ANIMALS = items(
  'golden retriever;Labrador;beagle;tabby cat;Siamese cat;parrot;hamster;rabbit;guinea pig;horse;goat;cow;sheep;fox;deer;brown bear;gray wolf;otter;seal;dolphin;humpback whale;sea turtle;elephant;giraffe;lion;tiger;snow leopard;panda;kangaroo;koala;penguin;owl;eagle;hawk;woodpecker;salmon;octopus;honeybee;monarch butterfly;tarantula',
);
export const COLORS = items(
  'red;blue;green;yellow;orange;purple;black;white;grey;brown;pink;navy;beige;turquoise;silver;gold;maroon;teal',
);
export const SPORTS = items(
  'football;basketball;tennis;golf;cricket;rugby;ice hockey;volleyball;swimming;cycling;rowing;boxing;badminton;table tennis;skiing;snowboarding;surfing;gymnastics;judo;baseball;handball;climbing;sailing;fencing;marathon running',
);
export const SYMPTOMS = items(
  'headache;fever;sore throat;persistent cough;shortness of breath;chest pain;nausea;vomiting;dizziness;fatigue;back pain;joint pain;abdominal pain;skin rash;itching;blurred vision;numbness;swelling;insomnia;palpitations;loss of appetite;muscle cramps;runny nose;chills;night sweats;stiff neck',
);
export const PROCEDURES = items(
  'appendectomy;hip replacement;knee replacement;coronary bypass;colonoscopy;MRI scan;CT scan;chest X-ray;blood transfusion;chemotherapy;radiation therapy;dialysis;biopsy;cataract surgery;root canal;physiotherapy;endoscopy;ultrasound;echocardiogram;skin graft;angioplasty;tonsillectomy',
);
export const BODY_PARTS = items(
  'left knee;right knee;lower back;left shoulder;right shoulder;neck;left ankle;right wrist;left hip;right eye;chest;abdomen;left hand;right foot;jaw;left elbow;spine',
);
export const LAWS = items(
  'General Data Protection Regulation;Clean Air Act;Civil Rights Act;Freedom of Information Act;Consumer Protection Act;Companies Act 2006;Sarbanes-Oxley Act;Fair Labor Standards Act;Americans with Disabilities Act;Copyright Act;Data Protection Act 2018;Equality Act 2010;Endangered Species Act;Patriot Act;Affordable Care Act;Bankruptcy Code;Digital Services Act;Competition Act',
);
export const COURTS = items(
  'Supreme Court;High Court;Court of Appeal;District Court;European Court of Justice;Crown Court;Federal Court;International Court of Justice',
);
export const DEPARTMENTS = items(
  'finance;accounting;human resources;marketing;sales;legal;engineering;research and development;customer support;procurement;logistics;operations;quality assurance;compliance;IT;public relations;product;data science;payroll;facilities',
);
export const NATIONALITIES = items(
  'American;British;Canadian;French;German;Italian;Spanish;Dutch;Swedish;Norwegian;Danish;Polish;Greek;Turkish;Japanese;Chinese;Korean;Indian;Australian;Brazilian;Mexican;Argentine;Nigerian;Kenyan;Egyptian;Moroccan;Irish;Portuguese;Belgian;Swiss;Austrian;Finnish;Ukrainian;Vietnamese;Thai;Indonesian',
);
export const CURRENCIES = items(
  'US dollar;euro;British pound;Japanese yen;Swiss franc;Chinese yuan;Indian rupee;Swedish krona;Mexican peso;Brazilian real;Turkish lira;Polish zloty;South African rand;Australian dollar;Canadian dollar',
);
export const EVENTS = items(
  'World Cup;Summer Olympics;Winter Olympics;Super Bowl;Champions League final;Wimbledon;Tour de France;Boston Marathon;Cannes Film Festival;Berlin Film Festival;Glastonbury Festival;Coachella;Oktoberfest;Rio Carnival;Venice Biennale;Web Summit;World Economic Forum;Comic-Con;Eurovision Song Contest;London Fashion Week;Edinburgh Festival;Burning Man;CES;Paris Air Show;Monaco Grand Prix;US Open;Frankfurt Book Fair',
);
export const INGREDIENTS = items(
  'olive oil;garlic;onion;butter;flour;sugar;eggs;milk;salt;black pepper;basil;tomatoes;carrots;chicken breast;ground beef;rice;lentils;chickpeas;coconut milk;ginger;soy sauce;honey;lemon juice;parmesan;mozzarella;spinach;mushrooms;potatoes;cinnamon;vanilla extract;baking powder;cream;parsley;cumin;paprika',
);
export const RELIGIONS = items('Christianity;Islam;Judaism;Buddhism;Hinduism;Sikhism;Taoism;Catholicism');

export const url = (): string =>
  pick([
    () =>
      `https://www.${pick(['northwind', 'acme', 'bluepeak', 'oakridge', 'fernhill', 'brightside', 'harborlight'])}.${pick(['com', 'org', 'io', 'net'])}/${pick(['help', 'contact', 'pricing', 'docs/setup', 'blog/2025', 'account', 'status', 'downloads', 'faq', 'careers'])}`,
    () =>
      `https://${pick(['docs', 'support', 'app', 'shop', 'news'])}.${pick(['example', 'stellar', 'quanta', 'lakeview'])}.${pick(['com', 'org', 'dev'])}/${filled('*****')}`,
    () =>
      `www.${pick(['greenmarket', 'cityguide', 'openrecipes', 'traveldesk', 'petworld', 'homefix', 'runnersclub'])}.${pick(['com', 'org', 'co.uk', 'net'])}`,
  ])();
export const ip = (): string =>
  chance(0.9)
    ? `${pick(['10', '172', '192', '203', '198', '85'])}.${between(0, 255)}.${between(0, 255)}.${between(1, 254)}`
    : filled('2001:db8:****::****');
export const path = (): string =>
  pick([
    () => `/var/log/${pick(['nginx', 'syslog', 'auth', 'app', 'postgres'])}${pick(['/error', '/access', ''])}.log`,
    () => `/etc/${pick(['nginx/nginx.conf', 'hosts', 'ssh/sshd_config', 'systemd/system/app.service'])}`,
    () =>
      `C:\\Users\\${faker.person.firstName().toLowerCase()}\\Documents\\${pick(['report', 'budget', 'notes', 'invoice'])}.${pick(['docx', 'xlsx', 'pdf'])}`,
    () =>
      `${pick(['src', 'lib', 'app'])}/${pick(['index', 'server', 'utils', 'config', 'auth', 'models'])}.${pick(['ts', 'py', 'go', 'js', 'java'])}`,
    () =>
      `${pick(['report', 'budget', 'minutes', 'roadmap', 'contract'])}_${pick(['final', 'v2', '2025', 'draft'])}.${pick(['pdf', 'docx', 'xlsx'])}`,
  ])();
export const hashtag = (): string => (chance(0.5) ? `#${pick(TAG_STARTS)}${pick(TAG_ENDS)}` : knownTag());
const TAG_STARTS = items(
  'Summer;Winter;City;Coffee;Book;Weekend;Travel;Green;Happy;Street;Home;Night;Sunday;Fit;Vegan;Dog;Cat;Music;Art;Data',
);
const TAG_ENDS = items('Vibes;Life;Love;Goals;Time;Club;Days;Mood;Lovers;Diaries;Tips;Fest;Season;Crew');
const knownTag = (): string =>
  `#${pick(['MondayMotivation', 'travel', 'foodie', 'tech', 'climate', 'OpenSource', 'running', 'photography', 'startup', 'booklover', 'gaming', 'wellness', 'AI', 'sale', 'throwback', 'weekend'])}`;
export const mac = (): string => faker.internet.mac();
export const SPORTS_EVENTS = items(
  'World Cup;Summer Olympics;Winter Olympics;Super Bowl;Champions League final;Tour de France;Boston Marathon;London Marathon;Monaco Grand Prix;US Open;Australian Open;French Open;European Championship;Commonwealth Games;Ryder Cup;Six Nations;Copa America;Davis Cup;Asian Games;Pan American Games',
);
export const DEVICES = items(
  'iPhone 15;iPhone 14 Pro;MacBook Air;MacBook Pro;iPad Pro;Apple Watch;Galaxy S24;Galaxy Watch;Pixel 8;Surface Pro;ThinkPad X1;Kindle Paperwhite;PlayStation 5;Nintendo Switch;Oculus Quest 3;GoPro Hero 12;Canon EOS R6;tablet;laptop;smartwatch;digital camera;fitness tracker;e-reader',
);
export const BELONGINGS = items(
  'umbrella;phone charger;jacket;backpack;scarf;wallet;water bottle;notebook;tablet;headset;camera;gym bag;lunch box;guitar;board game;raincoat;bike helmet;power bank',
);
