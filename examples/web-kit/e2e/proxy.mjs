// A proxy between pages and the server, which answers in the server's place or holds requests back, as a script says.

import { createServer, request as ask } from 'node:http';
import { connect } from 'node:net';
import { endpoint } from './browser.mjs';

async function read(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

function forward(incoming, body, outgoing) {
  const { method, url, headers } = incoming;
  const { hostname: host, port } = new URL(endpoint());
  const onward = ask({ host, port, method, path: url, headers }, (response) => {
    outgoing.writeHead(response.statusCode, response.headers);
    response.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  onward.end(body);
}

/**
 * Calls `use` with the proxy's origin, and with a function that sets what is done with each request from then on: it gets the
 * request, the operation that it sends, if any, and the response, and answers whether it has dealt with it. Nothing is forwarded
 * then, and WebSockets are not, either, if it deals with them: they have no response.
 */
export async function withProxy(use) {
  let deals = () => false;
  const sockets = new Set();
  const server = createServer(async (request, response) => {
    const body = await read(request);
    const operation = /"operationName":"(\w+)"/u.exec(body.toString())?.[1] ?? null;
    if (!deals(request, operation, response)) forward(request, body, response);
  });
  server.on('upgrade', (request, socket, head) => {
    if (deals(request, null, null)) {
      socket.destroy();
      return;
    }
    const { hostname: host, port } = new URL(endpoint());
    const onward = connect(port, host, () => {
      const lines = request.rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
      onward.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines}\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const [one, other] of [[socket, onward], [onward, socket]]) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${server.address().port}`, (next) => {
      deals = next;
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  }
}
