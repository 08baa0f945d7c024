// The daemon of a venue: all of gamed, with the flow of its room.

import GameDaemon

@main struct Venue {
    static func main() { Gamed.main(flows: [.flow(EscapeRoom.self)]) }
}
