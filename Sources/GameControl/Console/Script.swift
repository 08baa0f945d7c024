// Commands from somebody's script: one a line, until the input ends.

import RESP

struct Script {
    private let control: Control

    init(_ control: Control) {
        self.control = control
    }

    /// Goes on behind a command that is refused, and says so in the end; without a daemon, nothing more makes sense.
    func run() throws(ControlError) -> ControlStatus {
        var status = ControlStatus.accepted
        var number = 0
        var lines = InputLines()
        while let line = try lines.next() {
            number += 1
            do throws(ControlError) {
                guard let words = try CommandLine.words(of: line) else { continue }
                if CommandLine.isFarewell(words) { break }
                if try control.carryOut(words) != .accepted { status = .refused }
            } catch {
                guard !error.endsScript else { throw error }
                try control.output.complain(Self.located(error, number))
                status = .refused
            }
        }
        return status
    }

    /// A mistake is found by its line; the daemon's own words are left as they are.
    private static func located(_ error: ControlError, _ number: Int) -> ControlError {
        if case .usage(let sentence) = error { .usage("line \(number): \(sentence)") } else { error }
    }
}

/// What a line says, in a console or a script.
enum CommandLine {
    /// Nil if it says nothing.
    static func words(of line: String) throws(ControlError) -> [String]? {
        do throws(RequestError) {
            let words = try LineWords.split(LineWords.uncommented(line))
            return words.isEmpty ? nil : words
        } catch {
            throw .usage("\(error): a quote must be closed, and a blank must follow it")
        }
    }

    static func isFarewell(_ words: [String]) -> Bool {
        words.count == 1 && ["quit", "exit"].contains(words[0].lowercased())
    }
}
