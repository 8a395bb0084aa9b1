import { between, chance, filled, pick } from '../draw.js';

const grouped = (n: number): string => n.toLocaleString('en-US');

/** An amount that a person pays. */
export const price = (): string => priced(pick([between(9, 99), between(20, 299), between(100, 899)]));

/** A small amount: a meal, a delivery. */
export const smallPrice = (): string => priced(between(3, 48));

export const monthlyRent = (): string => `${pick(['$', '€', '£'])}${grouped(between(12, 68) * 50)}`;

const priced = (n: number): string => {
  const cents = pick(['.00', '.50', '.99', '.95', '.49', '.25', '']);
  return pick([
    () => `$${n}${cents}`,
    () => `$${n}${cents}`,
    () => `€${n}${cents}`,
    () => `£${n}${cents}`,
    () => `${n} ${pick(['dollars', 'euros', 'pounds'])}`,
    () => `${n}${cents} ${pick(['USD', 'EUR', 'GBP'])}`,
  ])();
};

/** An amount that a company or a state pays. */
export const largeAmount = (): string => {
  const n = pick([String(between(2, 950)), `${between(1, 48)}.${between(1, 9)}`]);
  const sign = pick(['$', '$', '€', '£']);
  return pick([
    () => `${sign}${n} million`,
    () => `${sign}${n} billion`,
    () => `${sign}${n}m`,
    () => `${sign}${grouped(between(10, 900) * 1000)}`,
    () => `${n} million ${pick(['dollars', 'euros'])}`,
  ])();
};

export const salary = (): string =>
  pick([
    () => `$${grouped(between(38, 210) * 1000)}`,
    () => `€${grouped(between(30, 120) * 1000)}`,
    () => `£${grouped(between(24, 110) * 1000)}`,
    () => `$${between(40, 180)}k`,
  ])();

export const percent = (): string => {
  const n = chance(0.4) ? `${between(0, 48)}.${between(1, 9)}` : String(between(2, 95));
  return pick([`${n}%`, `${n}%`, `${n} percent`, `${n} per cent`]);
};

export const count = (): string =>
  pick([
    () => String(between(3, 98)),
    () => grouped(between(110, 9_800)),
    () => grouped(between(10, 480) * 1000),
    () => pick(['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'a dozen', 'twenty', 'fifty']),
  ])();

export const small = (): string =>
  chance(0.5) ? String(between(2, 12)) : pick(['two', 'three', 'four', 'five', 'six', 'eight', 'ten']);

export const distance = (): string => `${between(2, 480)} ${pick(['miles', 'kilometers', 'km'])}`;
export const weight = (): string =>
  pick([`${between(2, 45)} ${pick(['kilograms', 'kg', 'pounds', 'lbs'])}`, `${between(1, 9)}.${between(1, 9)} kg`]);
export const kitchenMeasure = (): string =>
  pick([
    () => `${between(5, 80) * 10} ${pick(['grams', 'g', 'ml'])}`,
    () => `${between(2, 5)} ${pick(['cups', 'tablespoons', 'teaspoons'])}`,
    () => `${pick(['half a cup', 'a pinch', 'a tablespoon'])}`,
  ])();
export const temperature = (): string => `${between(-12, 38)}${pick(['°C', ' degrees', ' degrees Celsius'])}`;
export const storage = (): string =>
  `${pick(['64', '128', '256', '512', '16', '32', '2', '4'])} ${pick(['GB', 'MB', 'TB'])}`;
export const area = (): string => `${between(38, 320)} ${pick(['square meters', 'square feet', 'm²'])}`;
export const substance = (): string => `${between(2, 90) * 5} ${pick(['ml', 'grams', 'mg', 'liters'])}`;
export const size = (): string => `${between(2, 98)} ${pick(['meters', 'feet', 'inches', 'cm'])}`;
/** A quantity of any kind. */
export const quantity = (): string => pick([distance, weight, storage, area, size])();

export const dose = (): string =>
  `${pick(['5', '10', '20', '25', '40', '50', '75', '100', '200', '250', '400', '500'])} ${pick(['mg', 'mg', 'mg', 'mcg'])}`;

export const orderId = (): string =>
  filled(
    pick(['#######', 'ORD-######', '#100####', 'A#######', 'SO-####-###', '###-#######-#######', '@@######']),
  ).replace(/^0/, '4');
export const invoiceId = (): string =>
  filled(pick(['INV-20##-####', 'INV-######', '20##/####', 'INV#####', 'F-20##-####', 'RE-######']));
export const ticketId = (): string =>
  filled(pick(['TCK-#####', 'INC00#####', '#####', 'CASE-######', 'SUP-####', 'REQ######', 'JIRA-####', 'OPS-####']));
export const trackingNumber = (): string =>
  filled(
    pick(['1Z###@@#########', 'RR#########DE', '94001########', 'JD01460#########', 'TRK########', '########-@@']),
  );
export const accountNumber = (): string =>
  filled(pick(['########', '####-####-##', 'ACC-######', '#########', 'AC-#####-@']));
export const customerId = (): string => filled(pick(['C-#####', 'CUST-####', 'CID######', 'K######', 'M-####-##']));
export const bookingReference = (): string => filled(pick(['@@#@@#', '@#@@@#', '@@@#@@', 'BK-######', '@@####']));
export const policyNumber = (): string => filled(pick(['POL-#######', 'P#-######-##', 'HX-########', 'LIF/####/###']));
export const productCode = (): string =>
  filled(pick(['SKU-#####', '@@-####', '@@@-###-@', 'P/N ##-#####', '@####-@@']));
export const ssn = (): string => filled('9##-##-####');
export const passportNumber = (): string => filled(pick(['@########', '@@#######', 'C#@@#@##@']));
export const licensePlate = (): string => filled(pick(['@@@-####', '@@## @@@', '#@@@###', '@-@@ ####', '@@-###-@@']));
export const flightNumber = (): string =>
  `${pick(['LH', 'BA', 'AF', 'KL', 'UA', 'DL', 'AA', 'EK', 'QR', 'SQ', 'IB', 'FR', 'U2', 'TK', 'AC'])}${pick(['', ' '])}${between(101, 2899)}`;
export const version = (): string =>
  pick([
    () => `${between(0, 18)}.${between(0, 20)}.${between(0, 12)}`,
    () => `v${between(1, 9)}.${between(0, 20)}`,
    () => `${between(1, 24)}.${between(0, 9)}`,
    () => `v${between(0, 6)}.${between(0, 30)}.${between(0, 9)}`,
  ])();
export const errorCode = (): string =>
  filled(
    pick(['ERR-####', 'E####', '0x8007####', 'HTTP 50#', 'ORA-0####', 'ECONNRESET', 'ETIMEDOUT', 'SQLSTATE ####@']),
  );
