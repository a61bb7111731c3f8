// Ids that this client makes. `crypto.randomUUID` and `crypto.subtle` exist in secure contexts only,
// and the board is also used over plain http in someone's own network.

const OFFSET = 0x6c62272e07bb014262b821756295c58dn;
const PRIME = 0x0000000001000000000000000000013bn;
const MASK = (1n << 128n) - 1n;

/** A random UUID (version 4). */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return format(bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n), 4n);
}

/**
 * The UUID (version 8) of a text: the same text always has the same one. Made by FNV-1a of 128 bits,
 * which spreads well and keeps no secrets.
 */
export function idOf(text: string): string {
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode(text)) {
    hash = ((hash ^ BigInt(byte)) * PRIME) & MASK;
  }
  return format(hash, 8n);
}

/** Sets version and variant as RFC 9562 has them. */
function format(number: bigint, version: bigint): string {
  const versioned = (number & ~(0xfn << 76n)) | (version << 76n);
  const marked = (versioned & ~(0x3n << 62n)) | (0x2n << 62n);
  const hex = marked.toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
