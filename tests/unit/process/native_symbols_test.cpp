// Names for native code, as perf and gdb read them.
#include <doctest/doctest.h>

#include <elf.h>

#include <cstring>

#include "runtime/process/native_symbols.h"

using namespace hawser::process;

TEST_CASE("perf's map has a line a function: address, size, name") {
  const auto* const at = reinterpret_cast<const std::byte*>(0x1000);
  const NativeSymbol symbols[] = {{"web/http_request", at, 32}, {"web/log", at + 32, 255}};
  CHECK(perf_map(symbols) == "1000 20 web/http_request\n1020 ff web/log\n");
}

TEST_CASE("the object for gdb has each function's name, at its place in the code") {
  static const std::byte code[64] = {};
  const NativeSymbol symbols[] = {{"one", code + 16, 8}, {"two", code + 32, 16}};
  const std::vector<std::byte> object = symbol_object(symbols);
  Elf64_Ehdr header;
  REQUIRE(object.size() > sizeof header);
  std::memcpy(&header, object.data(), sizeof header);
  CHECK(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  REQUIRE(header.e_shoff + sections.size() * sizeof(Elf64_Shdr) <= object.size());
  std::memcpy(sections.data(), object.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  const char* const titles = reinterpret_cast<const char*>(object.data()) + sections[header.e_shstrndx].sh_offset;
  bool seen = false;
  for (const Elf64_Shdr& section : sections) {
    if (std::strcmp(titles + section.sh_name, ".text") == 0) {
      CHECK(section.sh_addr == reinterpret_cast<Elf64_Addr>(code + 16));
      CHECK(section.sh_size == 32);
    }
    if (section.sh_type != SHT_SYMTAB) continue;
    seen = true;
    REQUIRE(section.sh_size == 3 * sizeof(Elf64_Sym));
    Elf64_Sym two;
    std::memcpy(&two, object.data() + section.sh_offset + 2 * sizeof two, sizeof two);
    CHECK(two.st_value == 16);
    CHECK(two.st_size == 16);
    CHECK(std::strcmp(reinterpret_cast<const char*>(object.data()) + sections[section.sh_link].sh_offset + two.st_name,
                      "two") == 0);
  }
  CHECK(seen);
}
