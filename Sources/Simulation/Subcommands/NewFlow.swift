// The flow that people start from: two states and an end, a timer, a guard and something to remember.

struct NewFlow {
    let name: String
    /// Nil for the current one.
    let folder: String?

    var path: String { place(name + ".json5") }
    var scenarioPath: String { place(name + ".scenario") }

    private func place(_ file: String) -> String {
        guard let folder, !folder.isEmpty else { return file }
        return folder.hasSuffix("/") ? folder + file : "\(folder)/\(file)"
    }

    var text: String {
        """
        // A lamp that goes out by itself, until it is worn out.
        {
          id: "\(name)",
          // What a session remembers. NEW may give other values: NEW room \(name) {"context": {"bright": 1}}
          context: { bright: 3, lit: 0 },
          // What can be sent to it.
          events: { press: { label: "Press the button" } },
          initial: "off",
          states: {
            off: {
              view: { title: "Dark", text: "It was lit {{ lit }} times." },
              on: {
                press: [
                  // The first transition whose guard is true is taken. Guards and assignments are expressions in Lua.
                  { guard: "lit < bright", target: "on", actions: { assign: { lit: "lit + 1" } } },
                  { target: "broken" },
                ],
              },
            },
            on: {
              view: { title: "Bright" },
              // The timer begins with the state, and ends with it.
              after: { "10s": { name: "glow", target: "off" } },
              on: { press: "off" },
            },
            broken: { type: "final" },
          },
        }

        """
    }

    var scenario: String {
        """
        # The lamp goes out after ten seconds, and is worn out after three times.
        flow \(name).json5
        new lamp \(name)
        expect lamp off lit=0
        send lamp press
        expect lamp on lit=1
        expect-timer lamp glow 10s
        advance 9.999s
        expect lamp on
        advance 1ms
        expect lamp off
        send lamp press
        send lamp press
        expect lamp off lit=2
        send lamp press
        advance 10s
        send lamp press
        expect lamp broken
        expect-final lamp yes
        expect-error NOTRANSITION send lamp press

        # One that is lit only once.
        new match \(name) '{"context":{"bright":1}}'
        send match press
        send match press
        send match press
        expect match broken lit=1

        """
    }
}
