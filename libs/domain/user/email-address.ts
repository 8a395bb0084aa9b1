import { isPrintable } from '../printable.js';

/** Catches typing errors only; the mail server decides what is valid. */
export const EMAIL_ADDRESS = /^[^\s@"<>]{1,64}@[^\s@"<>]{1,189}$/;

export const isEmailAddress = (text: string): boolean => EMAIL_ADDRESS.test(text) && isPrintable(text);
