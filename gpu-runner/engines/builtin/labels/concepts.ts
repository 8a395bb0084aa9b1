/**
 * Words that point to a concept, for classification without training. Keyed by label words in lower case; a key may list
 * several names of one concept. Short lists of plain words: evidence, not knowledge.
 */

const POSITIVE =
  'good great excellent amazing love loved loves awesome fantastic perfect wonderful best happy pleased delighted recommend recommended beautiful nice enjoy enjoyed brilliant superb impressive friendly helpful delicious thanks thank glad favorite favourite outstanding comfortable fun pleasant worth satisfied incredible';
const NEGATIVE =
  'bad terrible awful worst hate hated horrible poor disappointed disappointing disappointment broken useless waste rude slow boring annoying angry ugly cheap dirty fail failed fails failure sucks refund never unhappy unacceptable ridiculous sad wrong defective overpriced cold stale crash crashes crashing scam mess frustrating frustrated regret avoid disgusting';

const LISTS: readonly (readonly [names: string, words: string])[] = [
  ['positive; pos; praise; satisfied; satisfaction; happy; good; favorable; compliment; promoter', POSITIVE],
  ['negative; neg; dissatisfied; unhappy; bad; unfavorable; criticism; detractor; frustrated', NEGATIVE],
  ['neutral; mixed; average', 'okay ok average fine so-so mediocre acceptable decent normal usual'],
  ['complaint; complain; grievance', `${NEGATIVE} complaint complain complaining waiting waited charged damaged late missing`],
  ['joy; happiness; excited; excitement; amusement', 'happy joy excited yay delighted thrilled wonderful celebrate smile laugh glad cheerful fun love amazing haha lol'],
  ['sadness; sad; grief; sorrow; disappointment', 'sad cry crying tears miss lonely depressed grief heartbroken lost died sorry unhappy hurts hurt alone disappointed'],
  ['anger; angry; annoyance; rage', 'angry furious mad hate annoyed annoying outraged rage stupid pissed unacceptable ridiculous damn idiot fed'],
  ['fear; anxiety; worry; nervousness; worried', 'afraid scared fear terrified worried anxious nervous panic frightened horror dread worry'],
  ['surprise; surprised; confusion', 'wow surprised unexpected unbelievable suddenly shocked omg incredible strange weird confused'],
  ['disgust', 'disgusting gross nasty sick vile filthy revolting ew yuck'],
  ['love; affection; caring', 'love adore darling dear sweetheart hug kiss heart caring'],
  ['gratitude; thanks; thank you', 'thanks thank grateful appreciate appreciated gratitude thankful thx'],
  ['greeting; hello; greet; salutation', 'hello hi hey morning evening greetings welcome howdy'],
  ['goodbye; farewell; bye', 'bye goodbye farewell later cya tomorrow night'],
  ['apology; sorry', 'sorry apologize apologies apology regret forgive pardon'],
  ['question; inquiry; enquiry; query; information request; request information; ask', 'what when where why who how which can could does is do any tell know wondering information question ask'],
  ['request; order request; command', 'please could would need want like can send give help provide request'],
  ['affirmation; yes; agree; confirm; confirmation; acceptance', 'yes yeah yep sure agree agreed ok okay correct right exactly confirm confirmed accept accepted absolutely'],
  ['negation; no; disagree; deny; rejection; refuse', 'no nope not never disagree refuse reject rejected decline declined wrong'],
  ['suggestion; feature request; idea; improvement; enhancement', 'feature add would wish could suggest suggestion idea improve improvement option support please should better allow'],
  ['bug; bug report; issue; defect; error; problem; technical issue; technical problem; technical; technical support; incident', 'bug error crash crashes crashed crashing broken freeze freezes frozen fails fail failed exception stack issue problem bugs glitch install update login slow loading screen connection working works reset server timeout code app device'],
  ['urgent; urgency; high; critical; emergency; high priority; important; asap; p1; severe', 'urgent urgently asap immediately emergency critical now deadline important down outage today hurry serious severe danger stopped blocked quickly help'],
  ['low; not urgent; low priority; minor; trivial; non urgent', 'whenever minor small someday eventually cosmetic typo later low question wondering rush'],
  ['medium; normal; moderate', 'soon week normal moderate'],
  ['spam; scam; phishing; junk; advertisement; fraud; promotion; promotional', 'free win winner won prize click cash money offer claim urgent call text guaranteed congratulations credit loan cheap viagra casino lottery bonus discount limited subscribe unsubscribe buy now reward selected account verify password bitcoin investment deal'],
  ['ham; not spam; legitimate; not scam', 'meeting tomorrow ok home later dinner see tonight thanks love mom coming when lunch'],
  ['toxic; toxicity; hate; hate speech; offensive; abusive; insult; harassment; abuse; threat; obscene; hateful; profanity', 'stupid idiot hate moron dumb kill fuck fucking shit bitch ass loser shut trash disgusting ugly die bastard damn racist scum pathetic worthless hell crap fool pig'],
  ['safe; clean; not toxic; non toxic; appropriate; acceptable', 'please thanks thank nice kind great help welcome good'],
  ['sarcasm; irony; sarcastic; ironic', 'yeah right sure totally obviously wow great thanks'],
  ['refund; refunds; money back; reimbursement; request refund', 'refund refunded money back return returned reimburse reimbursement charged credit cancel'],
  ['return; returns; exchange', 'return returned exchange send back size wrong fit replacement label'],
  ['cancel; cancellation; churn; unsubscribe; terminate', 'cancel cancelled canceled cancellation unsubscribe stop terminate end leave leaving quit close delete membership subscription'],
  ['billing; payment; payments; invoice; charge; charges; billing issue; payment issue', 'bill billing billed invoice charge charged charges payment paid pay card credit refund fee subscription price amount twice bank account overcharged receipt'],
  ['pricing; price; cost; quote; expensive; value', 'price prices pricing cost costs expensive cheap quote discount much fee afford worth dollars euros money'],
  ['shipping; delivery; shipment; tracking; order status; late delivery; logistics; delayed', 'shipping shipped ship delivery delivered deliver package parcel tracking track courier arrive arrived arrival order late delay delayed transit carrier where'],
  ['order; purchase; buy; place order; ordering; buying', 'order ordered buy bought purchase purchased checkout cart add item items'],
  ['account; login; password; account access; authentication; sign in; access; account issue', 'account login log password username sign reset locked access email verify verification code profile register registration authentication'],
  ['sales; lead; sales inquiry; interest; demo; interested', 'interested demo pricing quote trial buy purchase plan enterprise contact sales information upgrade'],
  ['support; help; assistance; customer service; customer support; service', 'help support assistance assist service agent representative problem issue trouble need'],
  ['feedback; review; opinion', 'feedback review opinion think experience love hate improve rating stars'],
  ['product; quality; product quality; product issue', 'product quality broken defective material works fit size battery screen color design'],
  ['subscription; plan; upgrade; downgrade; renewal', 'subscription subscribe plan upgrade downgrade renew renewal monthly yearly premium trial'],
  ['appointment; booking; reservation; schedule; book; reserve; scheduling; meeting; calendar', 'book booking reserve reservation appointment schedule table meeting available slot calendar date time tomorrow reschedule'],
  ['privacy; data; security; data protection; gdpr; data breach', 'privacy data security secure delete personal information gdpr consent breach hacked password leak encryption'],
  ['sport; sports; athletics; football; soccer', 'match game team player players coach goal goals league season win won beat football soccer basketball tennis cricket baseball championship cup score scored tournament olympic race final points defeat club striker'],
  ['politics; political; government; elections; policy', 'government president minister election elections vote voters parliament senate congress party policy law bill campaign democrats republicans political senator leader treaty prime governor'],
  ['business; finance; economy; economics; financial; markets; economic; stocks; business news; money; investing', 'company companies market markets stock stocks shares profit revenue sales bank economy economic billion million investors growth quarter earnings inflation rates trade oil prices dollar investment fund merger analysts fed ceo'],
  ['technology; tech; science and technology; sci tech; computing; software; computers; it; internet; gadgets; science technology', 'software computer internet google microsoft apple app apps data online web technology tech phone iphone android devices users digital ai chip server code programming hackers cloud robot network browser'],
  ['science; research; scientific; space; physics; nature', 'scientists science research researchers study nasa space planet physics climate experiment discovery species dna cells theory university telescope laboratory'],
  ['health; medical; medicine; healthcare; wellness; fitness', 'health doctor doctors patient patients hospital disease drug drugs virus cancer medical vaccine treatment symptoms pain flu diet medicine covid infection clinical nurse exercise'],
  ['entertainment; arts; culture; movies; celebrity; film; tv; arts entertainment', 'movie movies film films actor actress star show tv series music album singer song band concert celebrity hollywood oscar director award theater art episode'],
  ['music; songs; play music; playmusic', 'music song songs album band artist listen play singer concert playlist track lyrics guitar tune spotify'],
  ['movie; film review; films; cinema', 'movie film watch actor actress director cinema scene plot trailer'],
  ['travel; tourism; trip; flight; flights; vacation; hotel', 'travel flight flights hotel airport trip vacation holiday tour tourist visa passport luggage beach airline ticket booking destination'],
  ['food; restaurant; restaurants; cooking; recipe; dining; food and drink; drink; book restaurant; bookrestaurant', 'food restaurant eat meal dinner lunch breakfast recipe cook cooking delicious taste chef menu pizza coffee dish table served kitchen bake'],
  ['weather; forecast; get weather; getweather; climate', 'weather rain snow sunny temperature forecast storm wind cold hot warm cloudy humid hurricane degrees'],
  ['world; world news; international; war; conflict; military', 'war iraq military troops killed attack soldiers peace minister president united nations country border security bomb rebels crisis refugees foreign army'],
  ['crime; legal; law; court; justice; lawsuit', 'police court murder arrested crime criminal judge law lawyer prison trial jury charged suspect lawsuit legal theft contract attorney sentence'],
  ['education; school; learning; students', 'school student students teacher university college education learn learning class exam course study teach degree homework'],
  ['environment; climate change; energy; sustainability; green', 'climate environment environmental emissions carbon pollution energy warming solar renewable recycling forest wildlife plastic green'],
  ['religion; faith; religious', 'god church religion faith jesus prayer bible muslim christian pray religious islam temple priest'],
  ['gaming; games; game; video games', 'game games gaming player play xbox playstation nintendo steam level console gamer'],
  ['fashion; style; beauty; clothing', 'fashion dress clothes style wear shoes beauty makeup designer skin hair outfit'],
  ['automotive; cars; vehicles; autos; car', 'car cars engine vehicle drive driving road truck tesla ford toyota tires fuel motor'],
  ['real estate; housing; property; home', 'house home apartment rent mortgage property estate rooms kitchen garden buy landlord tenant'],
  ['family; parenting; relationships; relationship', 'family mother father mom dad kids children child baby parents wife husband marriage son daughter boyfriend girlfriend'],
  ['job; jobs; career; hiring; recruitment; hr; employment; human resources', 'job jobs hire hiring career salary interview resume cv position candidate employer employee work apply vacancy leave payroll'],
  ['animals; pets; pet; animal', 'dog dogs cat cats pet pets animal animals puppy horse bird vet'],
  ['history; historical', 'history century ancient war king empire historical ago museum'],
  ['english; en', 'the and is are you this that with for not have was of to'],
  ['german; de; deutsch', 'der die das und ist nicht ich ein eine mit auf für zu sie wir auch es den von'],
  ['french; fr; francais', 'le la les et est je une un des pas vous dans pour que qui nous avec ne du'],
  ['spanish; es; espanol', 'el la los las y es no una un que por para con está muy del se en'],
  ['italian; it; italiano', 'il lo la gli e è non una un che per con sono molto del della di'],
  ['portuguese; pt', 'o os as e não uma um que para com está muito do da em por você'],
  ['dutch; nl', 'de het een en is niet ik van voor met op zijn dat je maar'],
  ['swedish; sv', 'och det är inte jag en ett som på för med att den till'],
  ['polish; pl', 'i nie jest to się na w z że do jak dla są'],
  ['turkish; tr', 've bir bu için değil ben çok ne mi var da'],
  ['true; real; factual', 'official confirmed study according report data evidence'],
  ['false; fake; fake news; misinformation; hoax', 'hoax fake shocking secret conspiracy exposed unbelievable they truth miracle'],
  ['clickbait', 'shocking unbelievable believe reasons guess secret weird trick never'],
  ['set alarm; alarm; timer; reminder; reminders; set reminder', 'alarm timer wake remind reminder set minutes am pm clock'],
  ['lights; smart home; home automation; iot', 'light lights lamp turn on off thermostat temperature dim bright switch heating'],
  ['navigation; directions; traffic', 'directions navigate route traffic map drive way get far road station'],
  ['card; lost card; card lost; stolen card; card arrival; credit card', 'card lost stolen arrived pin block freeze debit credit wallet atm'],
  ['transfer; bank transfer; transfers', 'transfer transferred send sent money bank account recipient pending iban'],
  ['exchange rate; currency; exchange', 'exchange rate currency currencies convert euro dollar pound foreign'],
  ['abbreviation; abbr; acronym; initialism', 'stand stands abbreviation abbreviated acronym acronyms initials letters short'],
  ['description; desc; definition; explanation; reason; manner', 'define definition describe explain explanation meaning mean means origin difference cause causes reason reasons why purpose happens'],
  ['human; hum; person; people; individual; who', 'who whose whom person man woman people president actor actress author singer inventor wrote written invented founded discovered married nickname'],
  ['location; loc; place; where; geography', 'where country countries city cities state states capital place located river mountain island continent town ocean lake street'],
  ['number; num; numeric; quantity; count; numeric value; date; time; when', 'many much percent percentage number average population speed year years date when day century old tall far long distance cost'],
  ['entity; enty; object; thing', 'kind type color colour animal sport game food plant language instrument product brand currency song book movie word term substance disease'],
  ['balance', 'balance account left available statement'],
  ['rate book; ratebook; rating', 'rate give stars points book novel out six rating'],
  ['add to playlist; addtoplaylist; playlist', 'add playlist song track album'],
  ['search creative work; searchcreativework; search', 'find search show look called titled game book album trailer saga photograph'],
  ['search screening event; searchscreeningevent', 'movie movies schedule times theatre theater cinema playing showtimes neighbourhood animated'],
]; // prettier-ignore

/** Label words in lower case, separated by one space -> words that point to it. */
export const CONCEPTS: ReadonlyMap<string, readonly string[]> = new Map(
  LISTS.flatMap(([names, words]) => {
    const list = [...new Set(words.split(' '))];
    return names.split(';').map((name) => [name.trim(), list] as const);
  }),
);

/**
 * The words that indicate a label: those of the concept it names, else of the concept that its last or its first word
 * names.
 * @returns null when the label names no concept
 */
export function conceptWords(label: string): ReadonlySet<string> | null {
  const words = label
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  for (const key of [words.join(' '), words.at(-1) ?? '', words[0] ?? '']) {
    const known = SETS.get(key);
    if (known) return known;
  }
  return null;
}

const SETS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...CONCEPTS].map(([key, words]) => [key, new Set(words)]),
);
