// How a file gets to the object store: the API gives an address for it, and the bytes go there.

import type { ApolloClient } from '@apollo/client';
import { addressBeside } from 'trestle-web-kit/api/files';
import { put } from 'trestle-web-kit/api/upload';
import { NUMBERS } from 'trestle-web-kit/ui/locale';

import { graphql } from '../gql';
import type { ApplicationFileKind } from '../gql/graphql';
import { said } from '../ui/words';

const Upload = graphql(`
  mutation UploadFile($input: CreateFileUploadInput!) {
    createFileUpload(input: $input) {
      upload {
        uploadId
        url
        headers {
          name
          value
        }
      }
      userErrors {
        code
        message
      }
    }
  }
`);

/** The most bytes of a file. */
const MOST = 10 * 1024 * 1024;

/** What a file may be, by the end of its name: browsers do not know all of these. */
export const TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  odt: 'application/vnd.oasis.opendocument.text',
  rtf: 'application/rtf',
  txt: 'text/plain',
  md: 'text/markdown',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
};

/** The address of a file as the page asks for it. */
export function addressOf(url: string): string {
  return addressBeside(url, '/applications/files');
}

/** `1.2 MB`. */
export function sizeOf(bytes: number): string {
  const [value, unit] = bytes < 1_000_000 ? [Math.max(1, bytes / 1000), 'kilobyte'] : [bytes / 1_000_000, 'megabyte'];
  const style = { style: 'unit', unit, maximumFractionDigits: value < 10 ? 1 : 0 } as const;
  return new Intl.NumberFormat(NUMBERS, style).format(value);
}

/** What a file most likely is, by its name. */
export function kindOf(name: string): ApplicationFileKind {
  const plain = name.toLowerCase();
  if (/cover|letter|anschreiben/u.test(plain)) return 'COVER_LETTER';
  if (/offer|contract|angebot|vertrag/u.test(plain)) return 'OFFER';
  return /resume|résumé|lebenslauf|curriculum|(?<![a-z])cv(?![a-z])/u.test(plain) ? 'RESUME' : 'OTHER';
}

function typeOf(file: File): string | undefined {
  const extension = /\.([a-z\d]+)$/u.exec(file.name.toLowerCase())?.[1] ?? '';
  return TYPES[extension] ?? Object.values(TYPES).find((type) => type === file.type);
}

/** Why a file cannot be added; nothing if it can. */
export function problemOf(file: File): string | null {
  if (!typeOf(file)) return `${file.name} is none of PDF, Word, OpenDocument, RTF, text, Markdown, PNG, JPEG and WebP.`;
  if (file.size === 0) return `${file.name} is empty.`;
  return file.size > MOST ? `${file.name} has ${sizeOf(file.size)}, and a file has ${sizeOf(MOST)} at most.` : null;
}

/** Sends the bytes, and answers the id of the upload. `progress` hears the part that is sent. */
export async function upload(
  client: ApolloClient,
  applicationId: string,
  file: File,
  progress: (part: number) => void,
): Promise<string> {
  const { data } = await client.mutate({
    mutation: Upload,
    variables: { input: { applicationId, bytes: file.size, contentType: typeOf(file) ?? '' } },
    fetchPolicy: 'no-cache',
  });
  const { upload: place, userErrors = [] } = data?.createFileUpload ?? {};
  if (!place) {
    throw new Error(userErrors.map(({ message }) => said(message)).join(' ') || 'The server takes no files.');
  }
  await put({ ...place, url: addressOf(place.url) }, file, 'The file could not be sent', progress);
  return place.uploadId;
}
