// How the page writes dates and numbers. It speaks English, so it writes them in English too, but a date as people do where
// the browser is: half a sentence in another language helps nobody.

const { language, region } = new Intl.Locale(navigator.language).maximize();
const isEnglish = language === 'en';

/** For dates, times and what is said about them. */
export const LOCALE = isEnglish || !region ? navigator.language : `en-${region}`;

/** For numbers and amounts. */
export const NUMBERS = isEnglish ? navigator.language : 'en';

/** Where the browser is, as a code of two letters. */
export const REGION = region ?? '';
