// Text as it leaves the page: white space collapsed, signs that mean nothing outside of their font taken out, cut without splitting
// a character, well formed.

// ASCII white space of the Infra standard; a no-break space is content. Characters for private use are pictures of icon fonts.
const BLANKS = /[ \t\n\r\f\u{E000}-\u{F8FF}\u{F0000}-\u{10FFFD}]+/gu;
// A text node may hold megabytes of which a name shows 256 characters.
const WINDOW = 16_384;

export const NAME_LIMIT = 256;

// Most texts need nothing; to see that is cheaper than to replace.
const UNTIDY = /[\t\n\r\f\uE000-\uF8FF\uDB80-\uDBFF]|  |^ | $/;

export const collapse = (text: string): string => (UNTIDY.test(text) ? text.replace(BLANKS, ' ').replace(/^ | $/g, '') : text);

export const window = (text: string): string => (text.length > WINDOW ? text.slice(0, WINDOW) : text);

export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  const end = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
  return text.slice(0, end).toWellFormed();
}

export const tidy = (text: string, limit: number = NAME_LIMIT): string => cut(collapse(window(text)), limit);

export const words = (text: string | null): string[] => (text ? collapse(text).split(' ').filter(Boolean) : []);
