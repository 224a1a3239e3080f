// A plugin of qemu's user mode that counts the machine instructions of a program and prints the number when it ends:
// instructions.py compiles it. The declarations are those that it needs of qemu's plugin interface, version 1, whose
// header Debian does not ship.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
typedef void (*translated)(qemu_plugin_id_t id, struct qemu_plugin_tb* block);
typedef void (*ended)(qemu_plugin_id_t id, void* data);
enum { kAddU64 = 0 };
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, translated callback);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb* block, int operation, void* to, uint64_t add);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, ended callback, void* data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
void qemu_plugin_outs(const char* text);

EXPORT int qemu_plugin_version = 1;
static uint64_t count;

static void AddLength(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, kAddU64, &count, qemu_plugin_tb_n_insns(block));
}
static void Print(qemu_plugin_id_t id, void* data) {
  (void)id, (void)data;
  char text[64];
  snprintf(text, sizeof(text), "instructions %llu\n", (unsigned long long)count);
  qemu_plugin_outs(text);
}
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void* info, int argc, char** argv) {
  (void)info, (void)argc, (void)argv;
  qemu_plugin_register_vcpu_tb_trans_cb(id, AddLength);
  qemu_plugin_register_atexit_cb(id, Print, NULL);
  return 0;
}
