# The shop a day later: somebody has opened the database to look at it from home, and there is a bucket of logs.
resource "aws_security_group" "web" {
  ingress {
    from_port   = 443
    to_port     = 443
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_instance" "web" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.web.id]
  user_data                   = aws_db_instance.orders.address
}

resource "aws_security_group" "orders" {
  ingress {
    from_port   = 5432
    to_port     = 5432
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_db_instance" "orders" {
  engine                 = "postgres"
  publicly_accessible    = true
  storage_encrypted      = true
  vpc_security_group_ids = [aws_security_group.orders.id]
}

resource "aws_s3_bucket" "logs" {
  bucket = "example-logs"
  acl    = "public-read"
}
