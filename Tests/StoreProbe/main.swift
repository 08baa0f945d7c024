// A process that carries out commands from standard input on a store, so that tests can kill it and take its disk away.
//
//     open DIRECTORY always|everysec CAPACITY · put ID STATE [SIZE] · drop ID · materialize [ROWS] · maintain · sync · load
//     backup PATH · close
//
// Each line is answered with one: `ok …`, or `error KIND CAUSE sentence`.

import Glibc
import Posix
import SQLiteStore
import Store
import TinyJournal

final class Worker {
    private var journal: TinyJournal?

    private func opened() throws -> TinyJournal {
        guard let journal else { throw StoreError(.unusable, "nothing has been opened") }
        return journal
    }

    func answer(_ line: String) -> String {
        do {
            return "ok \(try obey(line.split(separator: " ").map(String.init)))"
        } catch let error as StoreError {
            return "error \(error.isOfConfiguration ? "configuration" : "io") \(error.cause) \(error)"
        } catch {
            return "error io failed \(error)"
        }
    }

    private func obey(_ words: [String]) throws -> String {
        switch words[0] {
        case "open":
            journal = try TinyJournal(words[1], Durability(rawValue: words[2]) ?? .always, capacity: Int(words[3]) ?? 100)
            return "\(try opened().states.count)"
        case "put":
            let state = words[2] + String(repeating: ".", count: words.count > 3 ? Int(words[3]) ?? 0 : 0)
            try opened().put([(Int64(words[1]) ?? 0, state)])
        case "drop": try opened().put([(Int64(words[1]) ?? 0, nil)])
        case "materialize": try opened().materialize(rowsPerPiece: words.count > 1 ? Int(words[1]) ?? .max : .max)
        case "maintain": while try opened().store.maintain([.only]) {}
        case "sync": try opened().store.sync()
        case "load":
            return try opened().states.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        case "backup":
            let backup = try StoreBackup(of: try opened().store, to: words[1])
            while try backup.copy(pages: 4) {}
            try backup.complete()
        case "close":
            try opened().store.close()
            journal = nil
        default: throw StoreError(.unusable, "'\(words[0])' is not known")
        }
        return ""
    }
}

StandardDescriptors.fill()
// As another user than root, where a test needs that.
if let user = getenv("STORE_PROBE_USER"), let number = UInt32(String(cString: user)) {
    guard setgid(number) == 0, setuid(number) == 0 else { exit(71) }
}
let worker = Worker()
while let line = readLine() {
    let answer = worker.answer(line) + "\n"
    _ = answer.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
}
