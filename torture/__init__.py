"""What blocklda must withstand: killed runs, failing disks, files from strangers."""
