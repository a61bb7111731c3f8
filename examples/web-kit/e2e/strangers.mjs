// Answers of others in the server's place: of a proxy whose server is gone, of the sign-in page of a network, of another API.

/** Every status of a final answer. */
export const STATUSES = Array.from({ length: 400 }, (_, at) => 200 + at);

/** The header by which the server marks its answers to GraphQL requests. */
export const MARK = { 'x-trestle-answer': 'graphql' };

const JSON_TYPE = { 'content-type': 'application/json' };
const GRAPHQL_TYPE = { 'content-type': 'application/graphql-response+json; charset=utf-8' };
const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' };

const PAGE = '<!doctype html><title>Welcome</title><p>Room number and last name, please.</p>';
const DATA = '{"data":{"__typename":"Query"}}';
const CODED = '{"errors":[{"message":"Send valid credentials.","extensions":{"code":"UNAUTHENTICATED"}}]}';
const UNCODED = '{"errors":[{"message":"Bad gateway"}]}';

/** Bodies with their media types that are not an answer to a GraphQL request, whoever sends them. */
const BROKEN = {
  'a page': [HTML_TYPE, PAGE],
  'a page as JSON': [JSON_TYPE, PAGE],
  'no body': [JSON_TYPE, ''],
  'no body and no type': [{}, ''],
  'JSON of others': [JSON_TYPE, '{"error":"bad gateway","data":"none"}'],
  'a list': [JSON_TYPE, `[${DATA}]`],
  null: [JSON_TYPE, 'null'],
  'a text': [JSON_TYPE, '"data"'],
  'data that is null': [JSON_TYPE, '{"data":null}'],
  'no errors': [JSON_TYPE, '{"errors":[]}'],
  'errors without a code': [GRAPHQL_TYPE, UNCODED],
  'data with errors without a code': [JSON_TYPE, `{"data":{"viewer":null},${UNCODED.slice(1)}`],
  'half of it': [JSON_TYPE, DATA.slice(0, 15)],
  'data as a text': [{ 'content-type': 'text/plain' }, DATA],
  'data without a type': [{}, DATA],
};

/** What the server answers with. */
const WHOLE = {
  data: [GRAPHQL_TYPE, DATA],
  'data as JSON': [{ 'content-type': 'application/json; charset=utf-8' }, DATA],
  'coded errors': [GRAPHQL_TYPE, CODED],
  'coded errors beside data': [JSON_TYPE, `{"data":{"viewer":null},${CODED.slice(1)}`],
};

function all(bodies, name, more) {
  return Object.entries(bodies).map(([kind, [headers, body]]) => {
    const { headers: added = {}, ...rest } = more;
    return { name: name.replace('$', kind), headers: { ...headers, ...added }, body, ...rest };
  });
}

/** What others answer with, whatever the status. `cut`: the connection ends in the middle. */
export const STRANGERS = [
  ...all({ 'a page': BROKEN['a page'], 'no body': BROKEN['no body'] }, '$', {}),
  ...all(BROKEN, '$, marked', { headers: MARK }),
  ...all(WHOLE, '$ of another server', {}),
  ...all(WHOLE, '$, marked for something else', { headers: { 'x-trestle-answer': 'file' } }),
  ...all(WHOLE, '$, cut off', { headers: MARK, cut: true }),
];

/** What the server answers with. */
export const OWN = all(WHOLE, '$', { headers: MARK });

/** Answers with this, and this status. */
export function answer(response, status, { headers, body, cut = false }) {
  if (!cut) {
    response.writeHead(status, headers).end(body);
    return;
  }
  response.writeHead(status, { ...headers, 'content-length': body.length });
  // The first part has arrived when the connection ends.
  response.write(body.slice(0, -5), () => response.destroy());
}
