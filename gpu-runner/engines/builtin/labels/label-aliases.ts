/**
 * Other names of the entity types, as people write them in requests: normalised (lower case, one space between words,
 * singular if that is regular). One name may mean several types.
 */

const PLACE = ['city', 'country', 'state', 'region', 'landform', 'address', 'facility'];
const GROUP = ['organization', 'company', 'sports_team', 'airline'];
const WORK = ['song', 'album', 'book', 'movie', 'tv_show', 'game'];
const ANY_DATE = ['date', 'time'];

/** Types, then the names for exactly these. */
const ALIASES: readonly (readonly [types: readonly string[], names: string])[] = [
  [['person', 'artist'], 'person; per; pers; person name; people; human; human being; individual; name; celebrity; public figure; personality; famous person'],
  [['person'], 'full name; first name; last name; surname; given name; family name; forename; middle name; contact name; customer name; patient name; employee name; user full name; author; writer; director; actor; actress; politician; scientist; athlete; player; musician name; researcher; philosopher; speaker; sender; recipient; attendee; participant; guest; passenger; customer; client name; witness; defendant; plaintiff; victim; suspect; character; cast; tenant; landlord; signatory; candidate; patient; doctor name; contact; contact person; winner; creator; founder; owner; assignee; reporter; nachname; vorname; personne; persona; nom; nombre; prenom'],
  [['company', 'airline'], 'company; corporation; corp; business; firm; enterprise; employer; vendor; supplier; manufacturer; maker; brand; retailer; store; shop; startup; merchant; bank; insurer; publisher; company name; business name; restaurant; restaurant name; cafe; bar; served company; newspaper; broadcaster; media outlet; media; studio; record label; competitor; investor; buyer company; seller company; firma; unternehmen; entreprise; empresa; societe'],
  [GROUP, 'org; organization; organisation; organization name; group; institution; body; entity organization; organisme; organisation name; organizacion; organisation ou entreprise'],
  [['organization'], 'ngo; government agency; agency; government; government body; ministry; authority; university; college; school; educational institution; academic institution; political party; politicalparty; union; association; non profit; nonprofit; charity; public institution; public body; institute; court; police; military; army; armed group; think tank; committee; federation; universite; universität; universidad'],
  [['sports_team'], 'team; club; sports club; sport team; football club; football team; mannschaft; equipe; equipo; team name'],
  [PLACE, 'loc; location; place; geographical entity; geographic location; locality; place name; where; ort; lieu; lugar; destination place; geo'],
  [['city', 'country', 'state', 'region'], 'gpe; geopolitical entity; geo political entity; geopolitical; political location; jurisdiction; territory; birthplace; place of birth; origin; destination; departure; arrival; travel destination; hometown; residence; point of departure; origin location; destination location; fromloc; toloc; geographic poi'],
  [['city'], 'town; village; municipality; city name; capital; capital city; birth city; metropolis; fromloc city name; toloc city name; origin city; destination city; stadt; ville; ciudad; citta; gemeinde'],
  [['country'], 'nation; country name; country of origin; country code; pays; pais; paese'],
  [['state'], 'province; state name; us state; federal state; state code; prefecture; canton; state or province; bundesland; provincia; etat'],
  [['region', 'landform'], 'region; geographic region'],
  [['region'], 'continent; county; district; area; neighbourhood; neighborhood; borough; quartier; gegend'],
  [['landform'], 'mountain; river; lake; sea; ocean; island; volcano; desert; forest; valley; waterfall; canyon; beach; body of water; water body; mountain range; natural feature; natural landmark; geographical feature; geographic feature; nature location'],
  [['address'], 'street; street address; street name; road; mailing address; postal address; home address; billing address; shipping address; delivery address; house address; adresse; direccion; indirizzo; anschrift; strasse; full address; physical address'],
  [['postal_code'], 'zip; zip code; zipcode; postcode; post code; plz; postleitzahl; code postal; codigo postal; cap code; pin code'],
  [['facility'], 'fac; building; landmark; airport; station; train station; stadium; venue; museum; hospital; hotel; park; bridge; monument; poi; point of interest; attraction; tourist attraction; sight; theater; theatre; church; arena; room; meeting room; terminal; cinema; movie theater; castle; palace; tower; object location type; library; gate; infrastructure'],
  [['date'], 'day; year; month; weekday; calendar date; birth date; birthdate; birthday; date of birth; dob; due date; deadline; start date; end date; expiry date; expiration date; delivery date; release date; publication date; invoice date; date of death; departure date; arrival date; decade; datum; fecha; date range; period date; season; release year; issue date; effective date'],
  [['time'], 'time of day; hour; clock time; start time; end time; departure time; arrival time; uhrzeit; heure; hora; meeting time'],
  [ANY_DATE, 'datetime; date time; timestamp; date and time; temporal; time expression; when; timex; temporal expression; time range; timerange; schedule; date or time'],
  [['duration'], 'period; time period; length of time; time span; timespan; dauer; duree; duracion; runtime; lead time; notice period; term; interval; waiting time; years of experience'],
  [['age'], 'person age; alter; edad; years old'],
  [['money'], 'price; amount; monetary value; monetary amount; cost; monetary; money amount; salary; fee; budget; revenue; total; total amount; amount of money; sum; payment; price range; fine; income; profit; discount amount; net worth; balance; invoice total; rent; wage; deposit; betrag; preis; prix; montant; precio; importe; deal value; funding amount; valuation'],
  [['currency'], 'currency name; currency code; cryptocurrency; währung; waehrung; moneda; devise; monnaie'],
  [['percent'], 'percentage; rate; percentage value; discount; interest rate; growth rate; prozent; pourcentage; porcentaje; ratio'],
  [['quantity'], 'measurement; measure; unit; distance; weight; length; height; width; volume; speed; size; temperature; dosage; dose; dimension; mass; depth; metric; capacity; measured quantity; physical quantity; menge; quantite; cantidad; strength'],
  [['number'], 'cardinal; count; numeral; integer; num; numeric value; party size; number of people; party size number; zahl; nombre de personnes; headcount; number of guests'],
  [['email'], 'e mail; mail; email address; e mail address; mail address; contact email; correo; courriel; correo electronico'],
  [['phone'], 'phone number; telephone; telephone number; mobile; mobile number; cell; cell phone; cell number; fax; fax number; tel; mobile phone number; landline phone number; contact number; telefon; telefonnummer; telephone portable; telefono; phone no'],
  [['url'], 'link; website; web site; web address; domain; domain name; homepage; web page; webpage; uri; hyperlink; webseite; site web'],
  [['ip_address'], 'ip; ipv4; ipv6; ip addr; host address; ipaddress; ip adresse'],
  [['file_path'], 'file; filename; file name; path; filepath; directory; folder; datei; fichier'],
  [['identifier'], 'id; order number; order id; invoice number; invoice id; ticket number; ticket id; ticket; case number; reference; reference number; tracking number; booking number; booking reference; confirmation number; customer id; customer number; account number; serial number; passport number; policy number; uuid; code; product code; sku; transaction id; employee id; student id; patient id; id number; national id number; social security number; ssn; tax id; tax identification number; driver license number; drivers license number; license number; part number; order no; po number; purchase order; case id; reference code; bestellnummer; rechnungsnummer; kundennummer; numero de commande; numero; bank account number; contract number; medical record number; mrn; vin; cvv; insurance number; health insurance id number; registration number; national identification number; personally identifiable number; membership number; model number; passport'],
  [['iban'], 'international bank account number; bank account; account iban; bank account iban'],
  [['credit_card'], 'credit card number; card number; card; creditcard; debit card; debit card number; payment card; credit card no; kreditkarte; kreditkartennummer'],
  [['crypto_address'], 'wallet address; wallet; bitcoin address; crypto wallet; ethereum address; cryptocurrency address; blockchain address'],
  [['flight_number'], 'flight; flight no; flight code; flight id; flugnummer; vuelo'],
  [['license_plate'], 'licence plate; number plate; license plate number; licence plate number; plate; plate number; vehicle registration; car plate; vehicle registration number; kennzeichen; registration plate; vehicle plate'],
  [['version'], 'software version; version number; build number; version string; os version'],
  [['username'], 'user name; user; handle; login; screen name; twitter handle; account name; mention; user id; benutzername; social media handle; user handle; nickname'],
  [['hashtag'], 'tag; topic tag; hash tag'],
  [['job_title'], 'job; title; position; occupation; profession; role; job position; job role; designation; beruf; poste; puesto; profesion; metier; office held; work title; titel; cargo; position held'],
  [['department'], 'business unit; division; abteilung; unit organization; departement; departamento; company department'],
  [['nationality', 'religion'], 'norp; nationality religious or political group'],
  [['nationality'], 'ethnicity; ethnic group; people group; demonym; citizenship; nationalität; nationalite; nacionalidad; national origin'],
  [['religion'], 'faith; belief; religious group; denomination; religious affiliation'],
  [['language'], 'lang; language name; spoken language; mother tongue; sprache; langue; idioma; lingua'],
  [['product', 'vehicle', 'software', 'game'], 'product; product name; item; article; good; goods; commodity; merchandise; produkt; produit; producto; item name'],
  [['product'], 'device; gadget; electronics; phone model; hardware; equipment; furniture; clothing; clothing item; tool; weapon; consumer good; product model; appliance; instrument; musical instrument; toy; electronic device; menu item product; accessory'],
  [['software'], 'app; application; program; programming language; programlang; operating system; os; platform; tool software; framework; library software; database; technology; tech; skill; programming skill; website name; browser; cloud service; online service; service name; technical skill; software name; software product; technology stack; digital service'],
  [['game'], 'video game; videogame; board game; game title; computer game'],
  [['vehicle'], 'car; car model; automobile; aircraft; plane; airplane; ship; motorcycle; truck; vehicle model; vehicle make; car brand; transportation; vehicle type; make and model; boat; spacecraft; train; fahrzeug; vehiculo; voiture; means of transport; transport'],
  [['event'], 'festival; conference; competition; tournament; holiday; war; battle; sports event; sport event; historical event; event name; championship; hurricane; storm; election; natural disaster; disaster; league; ceremony; veranstaltung; evenement; evento; concert event; celebration; meeting event; conflict; sporting event; exhibition'],
  [['award'], 'prize; medal; honor; honour; award name; trophy; accolade'],
  [['sport'], 'sport name; sports; sport discipline; discipline; athletic discipline; sport type'],
  [['food'], 'dish; meal; ingredient; drink; beverage; food item; menu item; fruit; vegetable; served dish; recipe; snack; meat; dessert; groceries; grocery item; allergen; speise; plat; comida; foodstuff; cooking ingredient; restaurant dish; amenity food'],
  [['cuisine'], 'cuisine type; kitchen style; food type; type of food; restaurant cuisine; küche'],
  [['animal'], 'species; pet; breed; dog breed; wildlife; animal species; tier; creature; anim; bird; fish; mammal; insect; animal name'],
  [['color'], 'colour; farbe; couleur; colore; colour name; paint color'],
  [['song'], 'track; song title; song name; music item song; single; music title; lied; chanson; cancion; musical piece; music track; piece of music; tune'],
  [['artist'], 'band; singer; musician; music artist; musical artist; rapper; music group; musicalartist; performer; composer; dj; band name; artist name; musical group; künstler; groupe; music band; orchestra artist'],
  [['album'], 'album title; album name; record; music album'],
  [['music_genre'], 'genre; music style; musicgenre; style of music; musical genre; music type'],
  [['book'], 'novel; book title; literature; literary work; publication; book name; buch; livre; libro; magazine; journal article; poem'],
  [['movie'], 'film; movie title; film title; movie name; motion picture; pelicula; title movie; documentary; movie or film'],
  [['tv_show'], 'tv series; television show; series; tv program; show; television series; tv; tv programme; sitcom; serie; tv show name; tv series name; program tv; podcast; anime'],
  [WORK, 'work of art; creative work; title of work; artwork; media title; workofart; art; entertainment; work; title creative; screening event name; object name; oeuvre; obra'],
  [['movie', 'tv_show'], 'movie or tv show; movie or show; film or series; movie or series; title of film'],
  [['song', 'album'], 'music item; entity name music; music work; song or album; track or album'],
  [['airline'], 'airline name; carrier; air carrier; airline company; fluggesellschaft; aerolinea'],
  [['chemical', 'drug'], 'chemical; chem; simple chemical; chemical or drug'],
  [['chemical'], 'chemical compound; compound; substance; element; chemical element; chemicalcompound; chemicalelement; chemical substance; material; molecule; mineral; gas; pollutant'],
  [['drug'], 'medication; medicine; drug name; pharmaceutical; medical drug; prescription; medikament; medicament; medicamento; vaccine; treatment; medication name; active ingredient; therapy; pharmaceutical drug; painkiller; narcotic'],
  [['disease'], 'condition; medical condition; illness; disorder; diagnosis; symptom; syndrome; injury; health condition; infection; krankheit; maladie; enfermedad; disease or condition; ailment; adverse effect; side effect; medical problem; cancer type'],
  [['nationality', 'religion', 'event', 'product', 'language', 'vehicle', 'software', 'game', ...WORK], 'misc; miscellaneous; other'],
]; // prettier-ignore

/** Letters without their accents, as labels are compared. */
export function unaccented(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/ß/g, 'ss');
}

/** Normalised name -> types. */
export const LABEL_ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  ALIASES.flatMap(([types, names]) => names.split(';').map((name) => [unaccented(name.trim()), types] as const)),
);
