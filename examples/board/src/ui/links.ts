// Addresses of the web as people write them.

/** The address with its scheme: people leave it out, as in `www.example.com/jobs`. */
export function withScheme(text: string): string {
  return text === '' || /^[a-z][a-z\d+.-]*:(?!\d)/iu.test(text) ? text : `https://${text}`;
}
