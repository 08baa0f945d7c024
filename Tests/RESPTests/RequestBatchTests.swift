// Batches of pipelined requests, compared with requests that are parsed one by one.

import Seeds
import Testing
@testable import RESP

@Suite struct `A batch of requests` {
    private func request(_ words: [String]) -> [UInt8] {
        Array(("*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()).utf8)
    }

    /// Often of the shape of the one before, sometimes damaged, and sometimes a line.
    private func pipeline(_ random: inout SeededGenerator, atMost most: Int = 40) -> [UInt8] {
        var words = ["SEND", "7d1f3c5e-1b2a-4c3d-8e9f-000000000001", "pass"]
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...most, using: &random) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: words = (0..<Int.random(in: 0...11, using: &random)).map { "w\($0)" }
            case 1: words = ["ECHO", String(repeating: "x", count: [0, 9, 99, 100, 1_000].randomElement(using: &random) ?? 1)]
            case 2:
                bytes += Array(["PING\r\n", "\r\n", "SEND \"a b\" c\n", "*0\r\n"][Int.random(in: 0..<4, using: &random)].utf8)
            case 3: words = words.map { String($0.reversed()) }
            default: break
            }
            bytes += request(words)
        }
        guard Int.random(in: 0..<4, using: &random) == 0 else { return bytes }
        let place = Int.random(in: bytes.indices, using: &random)
        bytes[place] = [UInt8(ascii: "$"), 13, 10, UInt8(ascii: "7"), 0].randomElement(using: &random) ?? 0
        return bytes
    }

    private struct Parsed: Equatable {
        var requests: [[[UInt8]]] = []
        var ends: [Int] = []
        var error: RequestError?
    }

    private func oneByOne(_ bytes: UnsafeRawBufferPointer, atMost limit: Int) -> Parsed {
        var parser = RequestParser()
        var (parsed, end) = (Parsed(), 0)
        do throws(RequestError) {
            while parsed.requests.count < limit,
                let length = try parser.next(in: UnsafeRawBufferPointer(rebasing: bytes[end...]))
            {
                parsed.requests.append(parser.arguments.map { Array($0.bytes) })
                end += length
                parsed.ends.append(end)
            }
        } catch { parsed.error = error }
        return parsed
    }

    @Test func `A batch of random requests has the same results as parsing them one by one`() {
        var random = SeededGenerator.announced("batches of requests", seed: 11)
        let batch = RequestBatch()
        for round in 0..<20_000 {
            let bytes = pipeline(&random)
            let cut = Bool.random(using: &random) ? bytes.count : Int.random(in: 0...bytes.count, using: &random)
            // Memory of exactly this size, so that the sanitizer sees what is read beyond it.
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: cut, alignment: 1)
            defer { copy.deallocate() }
            copy.copyBytes(from: bytes[..<cut])
            var parser = RequestParser()
            batch.fill(&parser, from: UnsafeRawBufferPointer(copy), atMost: 32)
            let found = Parsed(
                requests: (0..<batch.count).map { number in
                    let words = batch.words(number)
                    return (0..<words.count).map { Array(words[$0].bytes) }
                },
                ends: (0..<batch.count).map { batch.length(of: 0..<$0 + 1) }, error: batch.error)
            #expect(found == oneByOne(UnsafeRawBufferPointer(copy), atMost: 32), "round \(round)")
        }
    }

    @Test func `A batch takes all requests of an input behind those of others, or none`() {
        var random = SeededGenerator.announced("batches of several inputs", seed: 12)
        let batch = RequestBatch()
        var outcomes = [true: 0, false: 0]
        for round in 0..<5_000 {
            batch.removeAll()
            // The requests point into these.
            var inputs: [UnsafeMutableRawBufferPointer] = []
            defer { for input in inputs { input.deallocate() } }
            var expected: [[[UInt8]]] = []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let bytes = pipeline(&random, atMost: 8).dropLast([0, 0, 0, 1, 20].randomElement(using: &random) ?? 0)
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
                copy.copyBytes(from: bytes)
                inputs.append(copy)
                var parser = RequestParser()
                let alone = oneByOne(UnsafeRawBufferPointer(copy), atMost: .max)
                let fits = alone.ends.last == copy.count && alone.requests.count <= min(9, RequestBatch.size - batch.count)
                #expect(batch.appendAll(&parser, of: UnsafeRawBufferPointer(copy), atMost: 9) == fits, "round \(round)")
                outcomes[fits, default: 0] += 1
                if fits { expected += alone.requests }
                // Its parser begins with the next request, or with this input again.
                #expect((try? parser.next(in: UnsafeRawBufferPointer(copy))) == alone.ends.first, "round \(round)")
            }
            let found = (0..<batch.count).map { number in
                let words = batch.words(number)
                return (0..<words.count).map { Array(words[$0].bytes) }
            }
            #expect(found == expected, "round \(round)")
        }
        #expect(outcomes.values.allSatisfy { $0 > 1_000 }, "\(outcomes)")
    }
}
