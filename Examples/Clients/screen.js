#!/usr/bin/env node
// The screen of one session, in a terminal, with node-redis: node screen.js SESSION [SOCKET]
//
// It draws what gamed shows it, counts the clocks down by itself, sends the lines that are typed, and never asks: each change brings
// the whole view. Whatever happens meanwhile (a pause, more time, a drop, a restart of gamed), it stays right.
const { createClient } = require('redis')
const readline = require('readline')

class Screen {
  constructor(session, path = '/run/gamed/gamed.sock', changed = () => {}) {
    Object.assign(this, { session, view: null, came: 0, note: 'connecting', changed })
    // The one that subscribes can do nothing else in RESP2, so another sends.
    this.client = createClient({ socket: { path } })
    this.views = this.client.duplicate()
    for (const one of [this.client, this.views]) one.on('error', (error) => this.lost(error.message))
  }

  async start() {
    await Promise.all([this.client.connect(), this.views.connect()])
    // node-redis connects and subscribes again by itself; the first message is the view as it is then.
    await this.views.subscribe('view:' + this.session, (text) => this.show(JSON.parse(text)))
  }

  async stop() { await Promise.all([this.client.disconnect(), this.views.disconnect()]) }

  show(view) { Object.assign(this, { view, came: performance.now(), note: '' }); this.changed() }

  lost(note) { Object.assign(this, { view: null, note }); this.changed() }

  // What is left of a timer now, in ms.
  remaining(timer) { return Math.max(0, timer.remaining_ms - (timer.paused ? 0 : performance.now() - this.came)) }

  // An event that is meant for what is on the screen; a second tap on the same button is refused as stale.
  async send(event, ...payload) {
    const seen = `${this.view.life}:${this.view.version}`
    try { return await this.client.sendCommand(['SEND', this.session, event, ...payload, 'IF', seen]) }
    catch (error) { this.note = error.message; this.changed() }
  }

  draw() {
    if (!this.view) return `${this.session}: ${this.note || 'there is no such session'}`
    const clocks = this.view.timers.map((t) => `${t.name} ${(this.remaining(t) / 1000).toFixed(0)}s${t.paused ? ' (paused)' : ''}`)
    const actions = this.view.actions.map((a) => a.event + (a.payload ? `(${a.payload.name})` : ''))
    return `${this.view.title} ${this.view.text} [${clocks.join(' ')}] ${actions.join(' ')} ${this.note}`
  }
}

module.exports = { Screen }

if (require.main === module) {
  const draw = () => process.stdout.write('\r\x1b[K' + screen.draw())
  const screen = new Screen(process.argv[2], process.argv[3], draw)
  setInterval(draw, 100)
  readline.createInterface({ input: process.stdin }).on('line', (line) => {
    const [, event, payload] = /^\s*(\S+)\s*(.*)$/.exec(line) || []
    if (event && screen.view) screen.send(event, ...(payload ? [payload] : []))
  })
  screen.start().catch((error) => screen.lost(error.message))
}
