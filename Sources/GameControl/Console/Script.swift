// Commands from a script: one per line, until the input ends.

import Client
import RESP

struct Script {
    private let output: Output
    private let runLine: LineAction

    init(_ output: Output, run: @escaping LineAction) {
        self.output = output
        runLine = run
    }

    /// Goes on after a refused command, and ends with its status. Ends at once if there is no daemon.
    func run() throws(ControlError) -> ControlStatus {
        var status = ControlStatus.accepted
        var number = 0
        var lines = InputLines()
        while let line = try lines.next() {
            number += 1
            do throws(ControlError) {
                guard let words = try InputLine.words(of: line) else { continue }
                if InputLine.isQuit(words) { break }
                if try runLine(words) != .accepted { status = .refused }
            } catch {
                guard !error.endsScript else { throw error }
                try output.complain(error, line: number)
                status = .refused
            }
        }
        return status
    }
}

/// Runs one line's words, and reports the result.
typealias LineAction = ([String]) throws(ControlError) -> ControlStatus

/// A line of a console or a script.
enum InputLine {
    /// Nil if the line is empty or a comment.
    static func words(of line: String) throws(ControlError) -> [String]? {
        do throws(RequestError) {
            let words = try LineWords.split(LineWords.uncommented(line))
            return words.isEmpty ? nil : words
        } catch {
            throw .usage("\(error)")
        }
    }

    static func isQuit(_ words: [String]) -> Bool {
        words.count == 1 && ["quit", "exit"].contains(words[0].lowercased())
    }
}
