// The example screen, Examples/Clients/screen.js, for screens.py: each line of the input is a question, each of the output its answer.
const path = require('path')
const readline = require('readline')
const { Screen } = require(path.join(__dirname, '../../Examples/Clients/screen.js'))

const screen = new Screen('room', process.argv[2])
const shown = () => screen.view && { ...screen.view, left: screen.view.timers.map((t) => screen.remaining(t) / 1000) }

readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  const [what, ...words] = JSON.parse(line)
  const answer = what === 'shown' ? shown() : await screen.send(...words)
  process.stdout.write(JSON.stringify(answer ?? null) + '\n')
})
screen.start().catch((error) => screen.lost(error.message))
